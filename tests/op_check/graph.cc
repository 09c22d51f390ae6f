// graph: every sample in a graph as TensorFlow 1 has it: fed through placeholders, fetched, and its
// gradients with it: the bits of the eager call.
#include <cstdio>

#include <penstock/autodiff/tape.h>
#include <penstock/exec/graph_builder.h>
#include <penstock/ops/grad_helpers.h>

#include "call.h"

namespace penstock::op_check {
namespace {

using Outputs = std::vector<Tensor>;

// The outputs, and the gradients of their sum at every input that can have one: zeros where there
// is none.
Outputs eagerly(const Call& call, bool with_gradients) {
  Tape tape;
  std::vector<Source> sources;
  for (const Tensor& input : call.inputs) {
    if (!with_gradients || !is_differentiable(input.dtype())) continue;
    tape.watch(input);
    sources.emplace_back(input);
  }
  const Tensors outputs = call.run(call.inputs);
  Outputs all(outputs.begin(), outputs.end());
  if (sources.empty()) return all;
  for (const Gradient& gradient : tape.gradient(outputs, sources, {}, Unconnected::kZero))
    all.push_back(gradient.dense());
  return all;
}

Outputs in_graph(const Call& call, bool with_gradients) {
  GraphBuilder graph;
  Outputs feeds, given, fetches, inputs;
  std::vector<Shape> shapes;
  std::vector<Tensor> unconnected;  // their gradients are zeros
  {
    const GraphBuilder::Entered entered(graph);
    std::vector<Tensor> sources;
    for (size_t i = 0; i < call.inputs.size(); ++i) {
      const Tensor& input = call.inputs[i];
      if (call.op.def->input(i).host) {
        inputs.push_back(graph.constant(input, ""));
      } else {
        inputs.push_back(graph.placeholder(input.dtype(), input.shape(), ""));
        feeds.push_back(inputs.back());
        given.push_back(input);
        shapes.push_back(input.shape());
      }
      if (with_gradients && is_differentiable(input.dtype())) sources.push_back(inputs.back());
    }
    const Tensors outputs = call.run(inputs);
    fetches.assign(outputs.begin(), outputs.end());
    std::vector<Tensor> targets;
    for (const Tensor& output : outputs) {
      if (is_differentiable(output.dtype())) targets.push_back(output);
    }
    if (!sources.empty()) {
      const std::vector<Tensor> found = graph.gradients(targets, sources, {}, {});
      for (size_t i = 0; i < sources.size(); ++i)
        fetches.push_back(found[i].defined() ? found[i] : zeros_like(sources[i]));
    }
  }
  const Function function = graph.compile(feeds, shapes, fetches, {}, {});
  const Tensors found = function(std::span<const Tensor>(given));
  return {found.begin(), found.end()};
}

class Check {
 public:
  int64_t samples = 0, gradients = 0, failures = 0;

  void run(const Op& op) {
    if (op.def->traits.has(Trait::kStateful)) return;
    for (const Call& call : calls_of(op)) {
      ++samples;
      check(call, false);
      if (!op.def->is_differentiable()) continue;
      ++gradients;
      check(call, true);
    }
  }

 private:
  void check(const Call& call, bool with_gradients) {
    const int64_t before = held_bytes();
    std::string problem;
    try {
      problem = compare(call, with_gradients);
    } catch (const std::exception& error) {
      problem = error.what();
    }
    if (problem.empty() && held_bytes() != before)
      problem = cat("the ledger holds ", held_bytes() - before, " bytes more");
    if (problem.empty()) return;
    ++failures;
    std::printf("FAILED %s (%s): %s\n", call.describe().c_str(),
                with_gradients ? "backward" : "forward", problem.c_str());
  }

  static std::string compare(const Call& call, bool with_gradients) {
    Outputs expected;
    try {
      expected = eagerly(call, with_gradients);
    } catch (const UnimplementedError&) {
      return "";  // no gradient with these attributes
    }
    return difference(in_graph(call, with_gradients), expected);
  }
};

}  // namespace

int run_graph(const Options& options) {
  Check check;
  for (const Op& op : options.ops) check.run(op);
  std::printf("op_check graph: %lld samples, %lld gradients, %lld failed\n",
              static_cast<long long>(check.samples), static_cast<long long>(check.gradients),
              static_cast<long long>(check.failures));
  return check.failures == 0 ? 0 : 1;
}

}  // namespace penstock::op_check
