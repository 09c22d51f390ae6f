// Products of square matrices, and how their cost grows with the cube of the size.
#include "bench.h"

namespace penstock::bench {
namespace {

void square_matmul(Bench& bench, int64_t n, DType dtype = DType::kFloat32,
                   double tolerance = 1e-4) {
  const Tensor a = cast(values({n, n}, 1), dtype), b = cast(values({n, n}, 2), dtype);
  const auto element = [&](int64_t i) {
    double sum = 0;
    for (int64_t k = 0; k < n; ++k) sum += a.number_at(i / n * n + k) * b.number_at(k * n + i % n);
    return sum;
  };
  bench.expect(matmul(a, b), element, tolerance);
  bench.time([&] { return matmul(a, b); });
}

}  // namespace

PEN_CASE(matmul_64) { square_matmul(bench, 64); }
PEN_CASE(matmul_512) { square_matmul(bench, 512); }
PEN_CASE(matmul_2048) { square_matmul(bench, 2048); }

// Half types: the result is rounded to 8 or 11 bits, the sums are not.
PEN_CASE(matmul_512_bfloat16) { square_matmul(bench, 512, DType::kBFloat16, 1e-2); }
PEN_CASE(matmul_512_float16) { square_matmul(bench, 512, DType::kFloat16, 2e-3); }

PEN_CASE(scale_matmul_128) { square_matmul(bench, 128); }
PEN_CASE(scale_matmul_512) { square_matmul(bench, 512); }
PEN_CASE(scale_matmul_2048) { square_matmul(bench, 2048); }

}  // namespace penstock::bench
