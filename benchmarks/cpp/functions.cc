// Traced functions: an elementwise chain and its sum, op by op and as one tiled instruction, and
// the overhead of an instruction, measured with tiny ops.
#include <cmath>

#include "bench.h"

namespace penstock::bench {
namespace {

constexpr int64_t kLong = 8'000'000;

Tensor chain(const Tensor& x, const Tensor& y) {
  static const Tensor tenth(0.1f);
  Tensor z = x * y + x;
  z = tanh(z) * 0.5 + y;
  z = maximum(z, tenth) - square(x);
  return exp(-abs(z)) + z * 0.25;
}

double chain_at(double x, double y) {
  double z = x * y + x;
  z = std::tanh(z) * 0.5 + y;
  z = std::max(z, 0.1) - x * x;
  return std::exp(-std::abs(z)) + z * 0.25;
}

Function traced_chain(const Shape& shape, bool sums) {
  Trace trace("chain");
  const Tensor x = trace.input(DType::kFloat32, shape);
  const Tensor y = trace.input(DType::kFloat32, shape);
  const Tensor z = chain(x, y);
  return trace.finish({sums ? reduce_sum(z) : z});
}

// 1,000 ops, each on the previous result.
Tensor many_ops(Tensor x) {
  for (int i = 0; i < 500; ++i) x = x * 1.01 + 0.5;
  return x;
}

// 300 ops on single elements: a counter, a condition and a learning rate, as in a loop.
Tensors scalar_ops(Tensor step, Tensor rate) {
  for (int i = 0; i < 50; ++i) {
    step = step + 1;
    const Tensor is_late = less(Tensor(int64_t{20}), step);
    const Tensor warm = cast(step, DType::kFloat32) * 0.05f;
    rate = select(is_late, rate * 0.99f, warm);
  }
  return {step, rate};
}

}  // namespace

PEN_CASE(chain_eager) {
  const Tensor x = values({kLong}, 1), y = values({kLong}, 2);
  bench.expect(chain(x, y), [&](int64_t i) { return chain_at(x.number_at(i), y.number_at(i)); });
  bench.time([&] { return chain(x, y); });
}

PEN_CASE(chain_function) {
  const Tensor x = values({kLong}, 1), y = values({kLong}, 2);
  const Function f = traced_chain({kLong}, false);
  bench.expect(f({x, y})[0], [&](int64_t i) { return chain_at(x.number_at(i), y.number_at(i)); });
  bench.time([&] { return f({x, y}); });
}

PEN_CASE(chain_reduce_eager) {
  const Tensor x = values({kLong}, 1), y = values({kLong}, 2);
  bench.time([&] { return reduce_sum(chain(x, y)); });
}

PEN_CASE(chain_reduce_function) {
  const Tensor x = values({kLong}, 1), y = values({kLong}, 2);
  const Function f = traced_chain({kLong}, true);
  const double expected = reduce_sum(chain(x, y)).number_at(0);
  bench.expect(f({x, y})[0], [&](int64_t) { return expected; });
  bench.time([&] { return f({x, y}); });
}

PEN_CASE(function_1000_small_ops) {
  const Tensor x = values({8}, 1);
  Trace trace("many");
  const Function f = trace.finish({many_ops(trace.input(DType::kFloat32, {8}))});
  const Tensor expected = many_ops(x);
  bench.expect(f({x})[0], [&](int64_t i) { return expected.number_at(i); });
  bench.time([&] { return f({x}); });
}

PEN_CASE(function_300_scalar_ops) {
  const Tensor step(int64_t{3}), rate(0.5f);
  Trace trace("scalars");
  const Tensor a = trace.input(DType::kInt64, {});
  const Function f = trace.finish(scalar_ops(a, trace.input(DType::kFloat32, {})));
  const Tensors expected = scalar_ops(step, rate);
  bench.expect(f({step, rate})[1], [&](int64_t) { return expected[1].number_at(0); });
  bench.time([&] { return f({step, rate}); });
}

PEN_CASE(function_2_ops_16) {
  const Tensor x = values({16}, 1);
  Trace trace("decay");
  const Function f = trace.finish({trace.input(DType::kFloat32, {16}) * 0.999 + 0.001});
  bench.expect(f({x})[0], [&](int64_t i) { return x.number_at(i) * 0.999 + 0.001; });
  bench.time([&] { return f({x}); });
}

PEN_CASE(function_call_overhead) {
  const Tensor a = values({}, 1), b = values({}, 2);
  Trace trace("add");
  const Tensor x = trace.input(DType::kFloat32, {});
  const Tensor y = trace.input(DType::kFloat32, {});
  const Function f = trace.finish({x + y});
  bench.expect(f({a, b})[0], [&](int64_t i) { return a.number_at(i) + b.number_at(i); });
  bench.time([&] { return f({a, b}); });
}

}  // namespace penstock::bench
