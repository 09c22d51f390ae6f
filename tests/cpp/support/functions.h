// Functions against eager calls: the same bits, and the plan's peak.
#pragma once

#include <cstring>
#include <functional>
#include <span>
#include <vector>

#include <penstock/exec/function.h>
#include <penstock/exec/memory_plan.h>
#include <penstock/exec/trace.h>
#include <penstock/ops.h>

#include "exec/trace/function_state.h"
#include "support/testing.h"

namespace penstock::testing_support {

using Body = std::function<std::vector<Tensor>(std::span<const Tensor>)>;

inline Tensor numbers(DType dtype, const Shape& shape, int seed) {
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>((i * 37 + static_cast<size_t>(seed) * 11) % 101) / 16.f + 0.125f;
  return cast(Tensor::from<float>(values, shape), dtype);
}

inline Function traced(const Body& body, std::span<const Tensor> inputs) {
  Trace trace("f");
  std::vector<Tensor> symbols;
  for (const Tensor& input : inputs) symbols.push_back(trace.input(input.dtype(), input.shape()));
  return trace.finish(body(symbols));
}

// The bits of eager calls, and the peak of the plan; returns that plan.
inline MemoryPlan expect_same(const Body& body, const std::vector<Tensor>& inputs) {
  const Function function = traced(body, inputs);
  verify(function.state().graph);
  const MemoryPlan plan = function.plan();
  const std::vector<Tensor> expected = body(inputs);
  const int64_t held = memory::info().current;
  memory::reset_peak();
  const Tensors found = function(std::span<const Tensor>(inputs));
  EXPECT_EQ(memory::info().peak - held, plan.peak_bytes);
  EXPECT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].dtype(), expected[i].dtype());
    EXPECT_EQ(found[i].shape(), expected[i].shape());
    EXPECT_EQ(
        std::memcmp(found[i].raw(), expected[i].raw(), static_cast<size_t>(found[i].num_bytes())),
        0)
        << "output " << i << ": " << to_string(found[i]) << " instead of "
        << to_string(expected[i]);
  }
  return plan;
}

}  // namespace penstock::testing_support
