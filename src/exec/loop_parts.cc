#include "exec/loop_parts.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include <penstock/exec/control.h>

#include "exec/control_codes.h"
#include "exec/revolve.h"
#include "graph/extract.h"
#include "graph/simplify.h"

namespace penstock {
namespace exec {
namespace {

std::atomic<int64_t> g_forward{0}, g_backward{0};

// Marks the inputs that the values need.
void mark_needed(const Graph& region, std::span<const ValueId> values, std::vector<bool>& inputs) {
  const std::vector<bool> needed = needed_nodes(region, values);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (needed[static_cast<size_t>(region.node_of(region.inputs()[i]))]) inputs[i] = true;
  }
}

}  // namespace

LoopParts::LoopParts(const Control& control) : control_(control) {
  find_kept();
  const Graph& body = control_.region(Control::kBody);
  for (int32_t state : kept_) {
    offsets_.push_back(state_bytes_);
    state_bytes_ += aligned(body.bytes(body.inputs()[static_cast<size_t>(state)]));
  }
}

void LoopParts::find_kept() {
  const Graph& body = control_.region(Control::kBody);
  const Graph& condition = control_.region(Control::kCondition);
  const Graph backward = simplify(control_.region(Control::kBackward));
  std::vector<bool> needed(num_states());
  mark_needed(backward, backward.outputs(), needed);
  if (control_.trips < 0) mark_needed(condition, condition.outputs(), needed);
  for (size_t found = 0;;) {
    std::vector<ValueId> outputs;
    for (size_t i = 0; i < needed.size(); ++i) {
      if (needed[i]) outputs.push_back(body.outputs()[i]);
    }
    if (outputs.size() == found) break;
    found = outputs.size();
    mark_needed(body, outputs, needed);
  }
  for (size_t i = 0; i < needed.size(); ++i) {
    if (needed[i]) kept_.push_back(static_cast<int32_t>(i));
  }
}

size_t LoopParts::num_invariants() const {
  return control_.region(Control::kBody).num_inputs() - num_states();
}

int64_t LoopParts::bytes(size_t k) const {
  const Graph& body = control_.region(Control::kBody);
  return body.bytes(body.inputs()[static_cast<size_t>(kept_[k])]);
}

std::vector<int64_t> LoopParts::spine(int64_t n, int64_t most) {
  std::vector<int64_t> steps;
  int64_t at = 0;
  for (int64_t states = most + 1; states > 1 && n - at >= 2; --states) {
    at += next_kept(n - at, states);
    steps.push_back(at);
  }
  return steps;
}

std::vector<ValueId> LoopParts::inputs_of(const Graph& region) const {
  std::vector<ValueId> inputs;
  for (int32_t state : kept_) inputs.push_back(region.inputs()[static_cast<size_t>(state)]);
  for (size_t i = 0; i < num_invariants(); ++i) inputs.push_back(region.inputs()[num_states() + i]);
  return inputs;
}

Graph LoopParts::condition() const {
  const Graph& region = control_.region(Control::kCondition);
  return extract(region, inputs_of(region), region.outputs(), {});
}

Graph LoopParts::advance() const {
  const Graph& body = control_.region(Control::kBody);
  const auto pick = [&](const Graph& region, bool with_last) {
    std::vector<ValueId> outputs;
    for (int32_t state : kept_) outputs.push_back(region.outputs()[static_cast<size_t>(state)]);
    if (with_last) outputs.push_back(region.outputs().back());
    return extract(region, inputs_of(region), outputs, {});
  };
  if (control_.trips >= 0) return pick(body, false);
  return pick(with_condition(body, control_.region(Control::kCondition)), true);
}

Graph LoopParts::backward() const {
  const Graph region = simplify(control_.region(Control::kBackward));
  const size_t first = num_states() + num_invariants();
  std::vector<ValueId> inputs;
  for (size_t i = first; i < region.num_inputs(); ++i) inputs.push_back(region.inputs()[i]);
  const std::vector<ValueId> others = inputs_of(region);
  inputs.insert(inputs.end(), others.begin(), others.end());
  return extract(region, inputs, region.outputs(), {});
}

Graph with_condition(const Graph& body, const Graph& condition) {
  Graph made;
  const auto copy = [&](const Graph& region, std::span<const ValueId> inputs) {
    std::vector<ValueId> values(region.num_values(), kNoIndex);
    for (const Node& node : region.nodes()) {
      if (node.kind == NodeKind::kInput) {
        values[static_cast<size_t>(node.first_output)] = inputs[static_cast<size_t>(node.index)];
        continue;
      }
      SmallVector<ValueId, 4> uses;
      for (ValueId input : region.inputs(node)) uses.push_back(values[static_cast<size_t>(input)]);
      const ValueId first = made.node(made.add_copy(region, node, uses)).first_output;
      for (ValueId k = 0; k < node.num_outputs; ++k)
        values[static_cast<size_t>(node.first_output + k)] = first + k;
    }
    std::vector<ValueId> outputs;
    for (ValueId output : region.outputs()) outputs.push_back(values[static_cast<size_t>(output)]);
    return outputs;
  };
  std::vector<ValueId> inputs;
  for (ValueId input : body.inputs())
    inputs.push_back(made.add_input(body.dtype(input), body.shape(input)));
  std::vector<ValueId> outputs = copy(body, inputs);
  std::copy(outputs.begin(), outputs.end(), inputs.begin());
  outputs.push_back(copy(condition, inputs)[0]);
  made.set_outputs(outputs);
  return made;
}

int64_t online_checkpoints(int64_t steps) {
  return std::max<int64_t>(
      8, static_cast<int64_t>(std::ceil(std::sqrt(2.0 * static_cast<double>(steps)))));
}

void count_loop_steps(int64_t forward, int64_t backward) {
  g_forward.fetch_add(forward, std::memory_order_relaxed);
  g_backward.fetch_add(backward, std::memory_order_relaxed);
}

}  // namespace exec

LoopCounters loop_counters() {
  return {exec::g_forward.load(std::memory_order_relaxed),
          exec::g_backward.load(std::memory_order_relaxed)};
}

}  // namespace penstock
