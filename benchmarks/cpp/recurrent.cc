// The gates of an LSTM, 64 × 256 units: fused, and as separate ops.
#include "bench.h"

namespace penstock::bench {
namespace {

constexpr int64_t kBatch = 64, kUnits = 256;

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

// Element `i` of h in the next state.
double expected(const Tensor& gates, const Tensor& c, int64_t i) {
  const int64_t at = i / kUnits * 4 * kUnits + i % kUnits;
  const auto gate = [&](int64_t k) { return gates.number_at(at + k * kUnits); };
  const double state =
      sigmoid_of(gate(1)) * c.number_at(i) + sigmoid_of(gate(0)) * std::tanh(gate(2));
  return sigmoid_of(gate(3)) * std::tanh(state);
}

Tensor composed_step(const Tensor& gates, const Tensor& c) {
  const Tensors z = split(gates, 4, 1);
  return sigmoid(z[3]) * tanh(sigmoid(z[1]) * c + sigmoid(z[0]) * tanh(z[2]));
}

Tensor lstm_step_only(const Tensor& gates, const Tensor& c) { return lstm_step(gates, c)[0]; }

// The gradient of h's sum for the gates, through a tape.
Tensor gradient_of(Tensor (*step)(const Tensor&, const Tensor&), const Tensor& gates,
                   const Tensor& c) {
  Tape tape;
  tape.watch(gates);
  return tape.gradient(step(gates, c), gates);
}

double expected_gradient(const Tensor& gates, const Tensor& c, int64_t i) {
  const int64_t row = i / (4 * kUnits), unit = i % kUnits, which = i / kUnits % 4;
  const auto gate = [&](int64_t k) { return gates.number_at((row * 4 + k) * kUnits + unit); };
  const double in = sigmoid_of(gate(0)), forget = sigmoid_of(gate(1)), out = sigmoid_of(gate(3));
  const double candidate = std::tanh(gate(2)), before = c.number_at(row * kUnits + unit);
  const double t = std::tanh(forget * before + in * candidate);
  const double state = out * (1 - t * t);
  if (which == 0) return state * candidate * in * (1 - in);
  if (which == 1) return state * before * forget * (1 - forget);
  if (which == 2) return state * in * (1 - candidate * candidate);
  return t * out * (1 - out);
}

}  // namespace

PEN_CASE(lstm_step_64x256) {
  const Tensor gates = values({kBatch, 4 * kUnits}, 1), c = values({kBatch, kUnits}, 2);
  bench.expect(lstm_step(gates, c)[0], [&](int64_t i) { return expected(gates, c, i); });
  bench.time([&] { return lstm_step(gates, c); });
}

PEN_CASE(lstm_step_composed_64x256) {
  const Tensor gates = values({kBatch, 4 * kUnits}, 1), c = values({kBatch, kUnits}, 2);
  bench.expect(composed_step(gates, c), [&](int64_t i) { return expected(gates, c, i); });
  bench.time([&] { return composed_step(gates, c); });
}

PEN_CASE(lstm_step_grad_64x256) {
  const Tensor gates = values({kBatch, 4 * kUnits}, 1), c = values({kBatch, kUnits}, 2);
  const auto call = [&] { return gradient_of(lstm_step_only, gates, c); };
  bench.expect(call(), [&](int64_t i) { return expected_gradient(gates, c, i); });
  bench.time(call);
}

PEN_CASE(lstm_step_grad_composed_64x256) {
  const Tensor gates = values({kBatch, 4 * kUnits}, 1), c = values({kBatch, kUnits}, 2);
  const auto call = [&] { return gradient_of(composed_step, gates, c); };
  bench.expect(call(), [&](int64_t i) { return expected_gradient(gates, c, i); });
  bench.time(call);
}

}  // namespace penstock::bench
