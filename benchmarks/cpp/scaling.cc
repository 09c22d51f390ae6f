// The same op at n, 4n and 16n elements: its cost has to grow like n. (matmul.cc has matmul's.)
#include "bench.h"

namespace penstock::bench {
namespace {

constexpr int64_t kSize = 256 * 1024;

void add_of(Bench& bench, int64_t n) {
  const Tensor a = values({n}, 1), b = values({n}, 2);
  bench.expect(add(a, b), [&](int64_t i) { return a.number_at(i) + b.number_at(i); });
  bench.time([&] { return add(a, b); });
}

void sum_of(Bench& bench, int64_t n) {
  const Tensor x = values({n}, 1);
  const auto sum = [&](int64_t) {
    double total = 0;
    for (const float value : x.data<float>()) total += double{value};
    return total;
  };
  bench.expect(reduce_sum(x, {0}), sum, 1e-3);
  bench.time([&] { return reduce_sum(x, {0}); });
}

}  // namespace

PEN_CASE(scale_add_256k) { add_of(bench, kSize); }
PEN_CASE(scale_add_1m) { add_of(bench, 4 * kSize); }
PEN_CASE(scale_add_4m) { add_of(bench, 16 * kSize); }

PEN_CASE(scale_reduce_sum_256k) { sum_of(bench, kSize); }
PEN_CASE(scale_reduce_sum_1m) { sum_of(bench, 4 * kSize); }
PEN_CASE(scale_reduce_sum_4m) { sum_of(bench, 16 * kSize); }

}  // namespace penstock::bench
