// Sorts rows: the values, or the positions that sort them.
//
// A radix sort on keys with the same order as the values: NaN counts as larger than all numbers,
// the two zeros as equal. Every sort is stable.
#pragma once

#include <penstock/core/view.h>

namespace penstock::kernels {

// Bytes that sort_rows and argsort_rows need for `rows` rows of `width` elements.
struct SortScratch {
  int64_t slots;  // rows that are sorted in parallel
  int64_t bytes;  // of each; -1 on overflow
};
SortScratch sort_scratch(DType dtype, int64_t rows, int64_t width);
SortScratch argsort_scratch(DType dtype, int64_t rows, int64_t width);

// Pre: a real dtype; `in` has elements; out may be in.
void sort_rows(const View& in, int64_t width, bool descending, const View& out, void* scratch);

// The first `limit` positions of each row. Pre: likewise; limit <= width <= INT32_MAX.
void argsort_rows(const View& in, int64_t width, bool descending, int64_t limit, int32_t* out,
                  void* scratch);

}  // namespace penstock::kernels
