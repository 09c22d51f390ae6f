// The readable form of a graph.
#include <penstock/base/strings.h>

#include "graph/graph.h"

namespace penstock {
namespace {

std::string type_text(const Graph& graph, ValueId value) {
  return cat(graph.dtype(value), graph.shape(value));
}

std::string call_text(const Graph& graph, const Node& node) {
  std::string out = cat(node.op->name.value, "(");
  const char* separator = "";
  for (ValueId input : graph.inputs(node)) {
    out += cat(separator, "%", input);
    separator = ", ";
  }
  out += ")";
  separator = " {";
  for (size_t i = 0; i < node.num_attrs; ++i) {
    out += cat(separator, node.op->attrs[i].name, "=", graph.attrs(node)[i]);
    separator = ", ";
  }
  return node.num_attrs > 0 ? out + "}" : out;
}

std::string node_text(const Graph& graph, const Node& node) {
  switch (node.kind) {
    case NodeKind::kInput:
      return cat("input ", node.index);
    case NodeKind::kConstant: {
      const Tensor& tensor = graph.constant(node.index);
      return tensor.num_elements() <= 8 ? cat("constant ", to_string(tensor)) : "constant";
    }
    case NodeKind::kRead:
      return cat("read ", node.index);
    case NodeKind::kOp:
      break;
  }
  return call_text(graph, node);
}

}  // namespace

std::string to_text(const Graph& graph) {
  std::string out;
  for (const Node& node : graph.nodes()) {
    const char* separator = "";
    for (ValueId k = 0; k < node.num_outputs; ++k) {
      out += cat(separator, "%", node.first_output + k);
      separator = ", ";
    }
    out += cat(" = ", node_text(graph, node), " : ");
    separator = "";
    for (ValueId k = 0; k < node.num_outputs; ++k) {
      out += cat(separator, type_text(graph, node.first_output + k));
      separator = ", ";
    }
    const Location at = graph.location(node);
    if (!at.file.empty()) out += cat("  # ", at.file, ":", at.line);
    out += "\n";
  }
  for (const Write& write : graph.writes())
    out += cat("write ", write.slot, " = %", write.value, "\n");
  out += "return";
  const char* separator = " ";
  for (ValueId output : graph.outputs()) {
    out += cat(separator, "%", output);
    separator = ", ";
  }
  return out + "\n";
}

}  // namespace penstock
