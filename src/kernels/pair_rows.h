// Sums of products of rows, for the instruction set of the machine.
#pragma once

#include <cstdint>

namespace penstock::kernels {

// Pairs of rows: the first elements are at a + from_a[i] and b + from_b[i].
inline constexpr int64_t kMaxPairs = 64;
struct Pairs {
  int64_t from_a[kMaxPairs], from_b[kMaxPairs];
  int64_t count = 0;
};

// sums[c] += a[c] * b[c] over all pairs, for c in [0, n).
void add_products(const float* a, const float* b, const Pairs& pairs, int64_t n, float* sums);
void add_products(const double* a, const double* b, const Pairs& pairs, int64_t n, double* sums);

}  // namespace penstock::kernels
