// function: every sample as a traced function: the bits of the eager call, forwards and backwards,
// and a peak that is the plan's, to the byte, where the plan is exact. What runs is the simplified
// graph.
//
// Each is traced three times: with all shapes known; with no dimension known of the first input,
// which a call then makes known; and with inputs of the function in the place of the values that
// infer reads, which elsewhere are constants, as they are where people write them.
#include <cmath>
#include <cstdio>
#include <functional>

#include <penstock/autodiff/tape.h>
#include <penstock/exec/function.h>
#include <penstock/exec/memory_plan.h>
#include <penstock/exec/trace.h>
#include <penstock/memory/memory.h>

#include "call.h"
#include "exec/trace/function_state.h"

namespace penstock::op_check {
namespace {

using Outputs = std::vector<Tensor>;
using Body = std::function<Outputs(std::span<const Tensor>)>;

// Gradients of everything that can have one; zeros where there is none, since where shapes are not
// known an op cannot say that an input of it has none.
Outputs gradients(const Call& call, std::span<const Tensor> inputs) {
  Tape tape;
  std::vector<Source> sources;
  for (const Tensor& input : inputs) {
    if (!is_differentiable(input.dtype())) continue;
    tape.watch(input);
    sources.emplace_back(input);
  }
  const Tensors outputs = call.run(inputs);
  Outputs found;
  for (const Gradient& gradient : tape.gradient(outputs, sources, {}, Unconnected::kZero))
    found.push_back(gradient.dense());
  return found;
}

enum class Sizes { kKnown, kUnknown, kByValue };

class Check {
 public:
  int64_t samples = 0, gradients_checked = 0, not_traced = 0, not_planned = 0, failures = 0;

  void run(const Op& op) {
    if (op.def->traits.has(Trait::kStateful)) return;
    for (const Call& call : calls_of(op)) {
      ++samples;
      check(call, "forward", [&](std::span<const Tensor> inputs) {
        const Tensors outputs = call.run(inputs);
        return Outputs(outputs.begin(), outputs.end());
      });
      check_repeated(call);
      if (!op.def->is_differentiable()) continue;
      ++gradients_checked;
      check(call, "backward",
            [&](std::span<const Tensor> inputs) { return gradients(call, inputs); });
    }
  }

 private:
  // Elementwise ops once more for every operand, with one value all over it: passes hand that value
  // over as a scalar, and the bits must not change.
  void check_repeated(const Call& call) {
    if (!call.op.def->traits.has(Trait::kElementwise) || call.inputs.size() < 2) return;
    for (size_t i = 0; i < call.inputs.size(); ++i) {
      const Tensor& input = call.inputs[i];
      if (input.num_elements() < 2 || input.dtype() == DType::kString) continue;
      const Tensor value =
          Tensor::over(input.buffer(), input.offset(), input.dtype(), {}).copy(Tag::kConstant);
      if (std::isnan(value.number_at(0))) continue;  // which NaN results is unspecified
      const std::span<const int64_t> dims = input.shape().dims();
      const Tensor shape = Tensor::from<int64_t>(dims, {static_cast<int64_t>(dims.size())});
      check(call, "repeated", [&](std::span<const Tensor> inputs) {
        std::vector<Tensor> all(inputs.begin(), inputs.end());
        all[i] = penstock::call("Fill", {shape, value})[0];
        const Tensors outputs = call.run(all);
        return Outputs(outputs.begin(), outputs.end());
      });
    }
  }

  void check(const Call& call, const char* what, const Body& body) {
    const int64_t before = held_bytes();
    std::string problem;
    try {
      Outputs expected;
      try {
        expected = body(call.inputs);
      } catch (const UnimplementedError&) {
        return;  // no gradient with these attributes
      }
      for (const Sizes sizes : {Sizes::kKnown, Sizes::kUnknown, Sizes::kByValue}) {
        if (problem.empty()) problem = compare(call, body, expected, sizes);
      }
    } catch (const std::exception& error) {
      problem = error.what();
    }
    if (problem.empty() && held_bytes() != before)
      problem = cat("the ledger holds ", held_bytes() - before, " bytes more");
    if (problem.empty()) return;
    ++failures;
    std::printf("FAILED %s (%s): %s\n", call.describe().c_str(), what, problem.c_str());
  }

  static Shape unknown(Shape shape) {
    for (int i = 0; i < shape.rank(); ++i) shape.set(i, kUnknownDim);
    return shape;
  }

  static Function trace(const Call& call, const Body& body, Sizes sizes, Outputs* given) {
    Trace trace("sample");
    Outputs inputs;
    for (size_t i = 0; i < call.inputs.size(); ++i) {
      const Tensor& input = call.inputs[i];
      if (call.op.def->input(i).host && sizes != Sizes::kByValue) {
        inputs.push_back(input);
      } else {
        inputs.push_back(trace.input(input.dtype(), sizes == Sizes::kUnknown && i == 0
                                                        ? unknown(input.shape())
                                                        : input.shape()));
        given->push_back(input);
      }
    }
    const Outputs outputs = body(inputs);
    return trace.finish(outputs);
  }

  std::string compare(const Call& call, const Body& body, const Outputs& expected, Sizes sizes) {
    Outputs given;
    Function function;
    try {
      function = trace(call, body, sizes, &given);
    } catch (const UnimplementedError& error) {
      // A composed op needs the values that it looks at.
      if (sizes != Sizes::kByValue) return error.what();
      ++not_traced;
      return "";
    }
    verify(function.state().graph);
    std::vector<Shape> shapes;
    for (const Tensor& input : given) shapes.push_back(input.shape());
    function = function.at(shapes);
    const MemoryPlan plan = function.plan();
    if (function.state().simplified != nullptr) verify(*function.state().simplified);
    if (!plan.is_exact()) ++not_planned;
    for (int round = 0; round < 2; ++round) {
      const int64_t held = memory::info().current;
      memory::reset_peak();
      const Tensors found = function(std::span<const Tensor>(given));
      const int64_t peak = memory::info().peak - held;
      if (plan.is_exact() ? peak != plan.peak_bytes : peak < plan.peak_bytes)
        return cat("the plan says ", plan.peak_bytes, " bytes, but the peak was ", peak);
      if (std::string problem = difference(found, expected); !problem.empty()) return problem;
    }
    return "";
  }
};

}  // namespace

int run_function(const Options& options) {
  Check check;
  for (const Op& op : options.ops) check.run(op);
  std::printf(
      "op_check function: %lld samples, %lld gradients, %lld not planned as a whole (sizes from "
      "data, strings), %lld not traced (values that composed ops look at), %lld failed\n",
      static_cast<long long>(check.samples), static_cast<long long>(check.gradients_checked),
      static_cast<long long>(check.not_planned), static_cast<long long>(check.not_traced),
      static_cast<long long>(check.failures));
  return check.failures == 0 ? 0 : 1;
}

}  // namespace penstock::op_check
