// gemm against plain loops, for sizes around every edge of tiles and blocks.
#include "kernels/gemm.h"

#include <gtest/gtest.h>

#include <vector>

#include <penstock/base/threads.h>

namespace penstock::kernels {
namespace {

template <typename T>
std::vector<T> numbers(int64_t count, uint32_t seed) {
  std::vector<T> values;
  for (int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525 + 1013904223;
    values.push_back(static_cast<T>(static_cast<float>(seed >> 16 & 15) - 8));  // exact in all
  }
  return values;
}

template <typename T>
void check(int64_t m, int64_t n, int64_t k, bool swap_a, bool swap_b) {
  const std::vector<T> a = numbers<T>(m * k, 1), b = numbers<T>(k * n, 2);
  const Matrix left = swap_a ? Matrix{a.data(), 1, m} : Matrix{a.data(), k, 1};
  const Matrix right = swap_b ? Matrix{b.data(), 1, k} : Matrix{b.data(), n, 1};
  const int64_t stride = n + 3;
  std::vector<T> c(static_cast<size_t>(m * stride), T(77.0f));
  std::vector<char> scratch(static_cast<size_t>(gemm_scratch_bytes(kDTypeOf<T>, {m, n, k})) + 64);
  void* aligned = scratch.data() + (64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64) % 64;
  gemm(kDTypeOf<T>, {m, n, k}, left, right, c.data(), stride, aligned);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < stride; ++j) {
      double sum = j < n ? 0 : 77;
      for (int64_t p = 0; j < n && p < k; ++p) {
        sum +=
            static_cast<double>(a[static_cast<size_t>(i * left.row_stride + p * left.col_stride)]) *
            static_cast<double>(
                b[static_cast<size_t>(p * right.row_stride + j * right.col_stride)]);
      }
      ASSERT_EQ(static_cast<double>(c[static_cast<size_t>(i * stride + j)]),
                static_cast<double>(T(static_cast<float>(sum))))
          << m << "x" << n << "x" << k << " at " << i << "," << j;
    }
  }
}

template <typename T>
void check_sizes() {
  for (int64_t m : {1, 2, 5, 13, 60}) {
    for (int64_t n : {1, 3, 8, 31, 70}) {
      for (int64_t k : {0, 1, 17, 64}) {
        for (int form = 0; form < 4; ++form) check<T>(m, n, k, (form & 1) != 0, (form & 2) != 0);
      }
    }
  }
  check<T>(260, 390, 270, false, false);
  check<T>(260, 390, 270, true, true);
}

TEST(Gemm, Float32) { check_sizes<float>(); }
TEST(Gemm, Float64) { check_sizes<double>(); }
TEST(Gemm, BFloat16) { check_sizes<bfloat16>(); }
TEST(Gemm, Float16) { check_sizes<float16>(); }

TEST(Gemm, ScratchIsBounded) {
  for (DType dtype : {DType::kFloat32, DType::kFloat64, DType::kFloat16}) {
    EXPECT_LE(gemm_scratch_bytes(dtype, {1 << 20, 1 << 20, 1 << 20}), max_threads() * (820 << 10));
    EXPECT_EQ(gemm_scratch_bytes(dtype, {16, 16, 16}), 0);
  }
}

}  // namespace
}  // namespace penstock::kernels
