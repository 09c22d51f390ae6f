// Graphs for tests of passes: traced, counted, and compared with the results of eager ops.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include <penstock/penstock.h>

#include "exec/trace/function_state.h"
#include "graph/passes/simplify.h"
#include "graph/text.h"

namespace penstock::testing_support {

using Body = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

inline Function traced(const std::vector<Tensor>& like, const Body& body) {
  Trace trace("f");
  std::vector<Tensor> inputs;
  for (const Tensor& tensor : like) inputs.push_back(trace.input(tensor.dtype(), tensor.shape()));
  return trace.finish(body(inputs));
}

inline int count(const Graph& graph, std::string_view op = "") {
  int found = 0;
  for (const Node& node : graph.nodes())
    found += node.kind == NodeKind::kOp && (op.empty() || node.op->name.value == op);
  return found;
}

inline bool same_bits(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         std::memcmp(a.raw(), b.raw(), static_cast<size_t>(a.num_bytes())) == 0;
}

// The simplified graph of `body`, whose function gives the bits of the eager call.
inline Graph simplified(const std::vector<Tensor>& inputs, const Body& body) {
  const Function function = traced(inputs, body);
  const std::vector<Tensor> expected = body(inputs);
  const Tensors found = function(std::span<const Tensor>(inputs));
  EXPECT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_TRUE(same_bits(found[i], expected[i])) << to_string(found[i]);
  Graph graph = simplify(function.state().graph);
  verify(graph);
  return graph;
}

// Numbers of a real dtype with all that is special about it.
inline Tensor edge_values(DType dtype) {
  const double inf = std::numeric_limits<double>::infinity();
  std::vector<double> values = {0, 1, 2, 3, 5, 100, 127};
  if (!kUnsignedTypes.has(dtype) && dtype != DType::kBool)
    values.insert(values.end(), {-1, -2, -100, -128});
  if (kRealFloatTypes.has(dtype)) {
    values.insert(values.end(), {-0.0, 0.5, -0.5, 0.1, -1.5, 2.5, 1e-6, 1e-7, 6e4, inf, -inf,
                                 std::numeric_limits<double>::quiet_NaN()});
    if (dtype != DType::kFloat16) values.insert(values.end(), {1e-40, -1e-45, 3e38, 1e-30, 1e10});
  }
  std::vector<Tensor> scalars;
  for (double value : values) scalars.push_back(Tensor::scalar(dtype, value));
  Tensor all = Tensor::empty(dtype, Shape{static_cast<int64_t>(values.size())});
  const size_t size = dtype_size(dtype);
  for (size_t i = 0; i < values.size(); ++i)
    std::memcpy(static_cast<char*>(all.raw()) + i * size, scalars[i].raw(), size);
  return all;
}

}  // namespace penstock::testing_support
