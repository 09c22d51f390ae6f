// jvp: forward mode against reverse mode. With random tangents t at the inputs and random weights w
// at the outputs, <w, J t> from a forward accumulator must be <J^T w, t> from a tape: eagerly, and
// where the call and its tangents are traced into a function.
#include <cmath>
#include <cstdio>
#include <set>

#include <penstock/autodiff/forward.h>
#include <penstock/exec/function.h>
#include <penstock/exec/trace.h>
#include <penstock/ops/grad_helpers.h>

#include "derivatives.h"

namespace penstock::op_check {
namespace {

struct Totals {
  int samples = 0;
  int failures = 0;
};

void fail(const Call& call, Totals& totals, const std::string& problem) {
  ++totals.failures;
  std::printf("FAILED %s: %s\n", call.describe().c_str(), problem.c_str());
}

std::vector<size_t> moving_inputs(const Call& call) {
  std::vector<size_t> moving;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    if (is_differentiable(call.inputs[i].dtype()) && !call.op.def->input(i).host)
      moving.push_back(i);
  }
  return moving;
}

// The tangents of the outputs; zeros where there are none.
std::vector<Tensor> tangents_of(const ForwardAccumulator& forward,
                                std::span<const Tensor> outputs) {
  std::vector<Tensor> found;
  for (const Tensor& output : outputs) {
    const Tensor tangent = forward.jvp(output);
    found.push_back(tangent.defined() ? tangent : zeros(output.dtype(), output.shape()));
  }
  return found;
}

std::vector<Tensor> jvps(const Call& call, const std::vector<Tensor>& inputs,
                         std::span<const size_t> moving, std::span<const Tensor> tangents) {
  ForwardAccumulator forward;
  for (size_t k = 0; k < moving.size(); ++k) forward.watch(inputs[moving[k]], tangents[k]);
  forward.start();
  const std::vector<Tensor> outputs = differentiable(run_hermitian(call, inputs));
  forward.stop();
  return tangents_of(forward, outputs);
}

std::vector<Tensor> jvps_in_function(const Call& call, std::span<const size_t> moving,
                                     std::span<const Tensor> tangents) {
  Trace trace("jvp");
  std::vector<Tensor> inputs = call.inputs, given, traced;
  for (size_t i : moving) {
    inputs[i] = trace.input(inputs[i].dtype(), inputs[i].shape());
    given.push_back(call.inputs[i]);
  }
  for (const Tensor& tangent : tangents) {
    traced.push_back(trace.input(tangent.dtype(), tangent.shape()));
    given.push_back(tangent);
  }
  const Function function = trace.finish(jvps(call, inputs, moving, traced));
  const Tensors found = function(std::span<const Tensor>(given));
  return {found.begin(), found.end()};
}

// The accumulator around the call of a function.
std::vector<Tensor> jvps_around_function(const Call& call, std::span<const size_t> moving,
                                         std::span<const Tensor> tangents) {
  Trace trace("call");
  std::vector<Tensor> inputs = call.inputs, given;
  for (size_t i : moving) {
    inputs[i] = trace.input(inputs[i].dtype(), inputs[i].shape());
    given.push_back(call.inputs[i]);
  }
  const Function function = trace.finish(differentiable(run_hermitian(call, inputs)));
  ForwardAccumulator forward;
  for (size_t k = 0; k < given.size(); ++k) forward.watch(given[k], tangents[k]);
  forward.start();
  const Tensors outputs = function(std::span<const Tensor>(given));
  forward.stop();
  return tangents_of(forward, outputs);
}

// How far two sums may differ: by the least exact dtype that takes part.
double tolerance_for(const Call& call, std::span<const Tensor> outputs) {
  double tolerance = 1e-6;  // some ops work in float32 inside
  const auto consider = [&](const Tensor& tensor) {
    if (kHalfTypes.has(tensor.dtype())) tolerance = 1;
    if (tensor.dtype() == DType::kFloat32 || tensor.dtype() == DType::kComplex64)
      tolerance = std::max(tolerance, 1e-3);
  };
  for (const Tensor& input : call.inputs) consider(input);
  for (const Tensor& output : outputs) consider(output);
  return tolerance;
}

std::string compare(const char* what, double forward, double reverse, double tolerance) {
  if (!std::isfinite(reverse) || tolerance >= 1) return "";
  if (std::abs(forward - reverse) <= tolerance * std::max(1.0, std::abs(reverse))) return "";
  char text[128];
  std::snprintf(text, sizeof text, "%s: forward mode gives %.10g, reverse mode %.10g", what,
                forward, reverse);
  return text;
}

std::string check(const Call& call) {
  Random random(call.number + 99);
  const std::vector<size_t> moving = moving_inputs(call);
  std::vector<Tensor> primals;
  for (size_t i : moving) primals.push_back(call.inputs[i]);
  const std::vector<Tensor> tangents = random_like(primals, random);

  Tape tape;
  const std::vector<Source> sources = sources_of(call, call.inputs);
  for (const Source& source : sources) tape.watch(source);
  const std::vector<Tensor> outputs = differentiable(run_hermitian(call, call.inputs));
  const std::vector<Tensor> weights = random_like(outputs, random);
  std::vector<Tensor> gradients;
  for (const Gradient& each : tape.gradient(outputs, sources, weights, Unconnected::kZero))
    gradients.push_back(each.dense());
  const double reverse = weighted_sum(gradients, tangents);

  if (!std::isfinite(weighted_sum(outputs, weights))) return "";
  const double tolerance = tolerance_for(call, outputs);
  const double eager = weighted_sum(jvps(call, call.inputs, moving, tangents), weights);
  std::string problem = compare("eager", eager, reverse, tolerance);
  if (!problem.empty() || call.op.def->traits.has(Trait::kStateful)) return problem;
  const double traced = weighted_sum(jvps_in_function(call, moving, tangents), weights);
  problem = compare("in a function", traced, reverse, tolerance);
  if (!problem.empty()) return problem;
  const double around = weighted_sum(jvps_around_function(call, moving, tangents), weights);
  return compare("around a function", around, reverse, tolerance);
}

}  // namespace

int run_jvp(const Options& options) {
  Totals totals;
  int num_ops = 0;
  std::set<std::string_view> without;  // ops that say that they have no forward mode
  for (const Op& op : options.ops) {
    if (!op.def->is_differentiable()) continue;
    ++num_ops;
    const std::vector<Sample> samples = op.def->samples.value();
    for (size_t i = 0; i < samples.size(); ++i) {
      if (samples[i].for_speed || !samples[i].check_grad) continue;
      const Call call = make_call(op, i, in_double(*op.def, samples[i]));
      if (moving_inputs(call).empty()) continue;
      ++totals.samples;
      const int64_t before = held_bytes();
      try {
        const std::string problem = check(call);
        if (!problem.empty()) fail(call, totals, problem);
      } catch (const UnimplementedError&) {
        without.insert(op.id);
      } catch (const std::exception& error) {
        fail(call, totals, error.what());
      }
      if (held_bytes() != before)
        fail(call, totals, cat("the ledger holds ", held_bytes() - before, " bytes more"));
    }
  }
  for (std::string_view id : without)
    std::printf("no forward mode: %.*s\n", static_cast<int>(id.size()), id.data());
  std::printf("op_check jvp: %d ops, %d samples, %d failed\n", num_ops, totals.samples,
              totals.failures);
  return totals.failures == 0 ? 0 : 1;
}

}  // namespace penstock::op_check
