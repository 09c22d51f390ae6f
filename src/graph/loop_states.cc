#include "graph/loop_states.h"

#include <algorithm>
#include <numeric>

#include "graph/copier.h"
#include "graph/extract.h"
#include "memory/alignment.h"
#include "plan/checkpoints.h"

namespace penstock {

PackedStates::PackedStates(const Graph& region, std::span<const int32_t> numbers) {
  for (int32_t number : numbers) {
    const int64_t bytes = region.bytes(region.inputs()[static_cast<size_t>(number)]);
    offsets_.push_back(total_);
    bytes_.push_back(static_cast<size_t>(bytes));
    total_ += aligned(bytes);
  }
}

std::vector<int32_t> all_states(const Control& control) {
  std::vector<int32_t> numbers(static_cast<size_t>(control.num_states));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

Graph with_condition(const Graph& body, const Graph& condition) {
  Graph joined;
  Copier step(body, joined), test(condition, joined);
  for (const Node& node : body.nodes()) step.copy(node);
  const SmallVector<ValueId, 8> states = step.all(body.outputs());
  for (size_t i = 0; i < condition.num_inputs(); ++i)
    test.set(condition.inputs()[i], i < states.size() ? states[i] : step[body.inputs()[i]]);
  for (const Node& node : condition.nodes()) test.copy(node);
  SmallVector<ValueId, 8> outputs = states;
  outputs.push_back(test[condition.outputs()[0]]);
  joined.set_outputs(outputs);
  return joined;
}

Graph with_last_first(const Graph& region, size_t first) {
  const std::span<const ValueId> all = region.inputs();
  std::vector<ValueId> inputs(all.begin() + static_cast<ptrdiff_t>(first), all.end());
  inputs.insert(inputs.end(), all.begin(), all.begin() + static_cast<ptrdiff_t>(first));
  return extract(region, inputs, region.outputs(), {});
}

int64_t num_checkpoints(const Control& control) {
  const int64_t wanted =
      control.checkpoints > 0 ? control.checkpoints : plan::default_checkpoints(control.trips);
  return std::min(wanted, std::max<int64_t>(control.trips - 1, 0));
}

}  // namespace penstock
