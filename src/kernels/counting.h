// Counts by value: bins, histograms, bounds in sorted rows.
#pragma once

#include <penstock/core/view.h>

namespace penstock::kernels {

// For each of `rows` rows: out[row, v] += weight for every value v of the row that is below `size`.
// Without weights every value counts 1; `binary` counts whether it occurs at all. Pre: no value is
// negative; out is int32, int64, float32 or float64.
void bincount(const View& values, int64_t rows, int64_t size, const View* weights, bool binary,
              const View& out);

// Counts the `values` in [low, high] by bin in `out` (int32 or int64). Returns false for a NaN,
// before anything is written.
bool histogram(const View& values, double low, double high, int64_t bins, const View& out);

// out[row, k] = the number of the row's `width` sorted elements before values[row, k]: those that
// are less (lower), or not greater (upper).
void bounds(const View& sorted, int64_t rows, int64_t width, const View& values, int64_t count,
            bool upper, const View& out);

// out[row] = whether fewer than k of the row's predictions are larger than the target's; false if
// the target is out of range or a number is not finite.
void in_top_k(const View& predictions, const View& targets, int64_t k, bool* out);

}  // namespace penstock::kernels
