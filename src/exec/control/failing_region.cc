#include "exec/control/failing_region.h"

#include <penstock/ops/gradient.h>
#include <penstock/ops/sample.h>

namespace penstock::exec {
namespace {

void infer(InferContext& ctx) {
  ctx.add_output(ctx.attr(1).as_dtype(), Shape(ctx.attr(2).as_ints()));
}

// A graph stores attribute texts with a terminating 0.
KernelResult fail(const KernelContext& ctx) {
  return KernelResult::invalid(ctx.attrs[0].as_string().data());
}

// Its outputs never exist.
Gradients no_gradients(const GradContext&) { return {Gradient()}; }
std::vector<Sample> no_samples() { return {}; }

// Its input makes a trace treat it as something that happens at run time.
const OpDef kFailingOp = {.name = "Failing",
                          .doc = "An error.",
                          .inputs = {in("x", kAnyType)},
                          .attrs = {string_attr("error"), dtype_attr("dtype"), ints_attr("shape")},
                          .infer = infer,
                          .cpu = fail,
                          .grad = no_gradients,
                          .samples = no_samples};

// Breaks up "{}", which would be a placeholder for a number.
std::string without_places(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '}' && result.ends_with('{')) result += ' ';
    result += c;
  }
  return result;
}

}  // namespace

Graph failing_region(const Graph& region, std::span<const Shape> shapes,
                     std::span<const OutputSpec> outputs, std::string_view error) {
  Graph graph;
  for (size_t i = 0; i < shapes.size(); ++i)
    graph.add_input(region.dtype(region.inputs()[i]), shapes[i]);
  const std::string text = without_places(error);
  std::vector<ValueId> results;
  for (const OutputSpec& output : outputs) {
    const Attr attrs[] = {Attr(std::string_view(text)), Attr(output.dtype),
                          Attr(output.shape.dims())};
    const NodeId id = graph.add_op(kFailingOp, graph.inputs().first(1), attrs, {&output, 1});
    results.push_back(graph.node(id).first_output);
  }
  graph.set_outputs(results);
  return graph;
}

}  // namespace penstock::exec
