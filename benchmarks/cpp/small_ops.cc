// Ops so small that only the cost of a call counts.
#include "bench.h"

namespace penstock::bench {

PEN_CASE(eager_add_scalar) {
  const Tensor a = values({}, 1), b = values({}, 2);
  bench.expect(add(a, b), [&](int64_t i) { return a.number_at(i) + b.number_at(i); });
  bench.time([&] { return add(a, b); });
}

PEN_CASE(eager_tf_add_4x4) {
  const Tensor a = values({4, 4}, 1), b = values({4, 4}, 2);
  bench.expect(add(a, b), [&](int64_t i) { return a.number_at(i) + b.number_at(i); });
  bench.time([&] { return add(a, b); });
}

PEN_CASE(eager_matmul_2x2) {
  const Tensor a = values({2, 2}, 1), b = values({2, 2}, 2);
  bench.expect(matmul(a, b), [&](int64_t i) {
    const int64_t row = i / 2, column = i % 2;
    return a.number_at(2 * row) * b.number_at(column) +
           a.number_at(2 * row + 1) * b.number_at(2 + column);
  });
  bench.time([&] { return matmul(a, b); });
}

}  // namespace penstock::bench
