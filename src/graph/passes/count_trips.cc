#include "graph/passes/count_trips.h"

#include <limits>
#include <optional>

namespace penstock {
namespace {

using Wide = __int128;

std::optional<int64_t> integer(const Tensor* tensor) {
  if (tensor == nullptr || tensor->num_elements() != 1) return std::nullopt;
  if (tensor->dtype() == DType::kInt32) return tensor->data<int32_t>()[0];
  if (tensor->dtype() == DType::kInt64) return tensor->data<int64_t>()[0];
  return std::nullopt;
}

struct Counter {
  int64_t first, step;
  DType dtype;
};

class TripCounter {
 public:
  TripCounter(const Graph& graph, const Node& node)
      : graph_(graph), node_(node), control_(*graph.control(node)) {}

  std::optional<int64_t> find() const {
    const Graph& condition = control_.region(Control::kCondition);
    return steps_while(condition, condition.outputs()[0]);
  }

 private:
  std::optional<int64_t> steps_while(const Graph& region, ValueId value) const {
    const Node& node = region.node(region.node_of(value));
    if (node.kind != NodeKind::kOp || node.num_inputs != 2) return std::nullopt;
    const Arithmetic compares = node.op->arithmetic;
    const std::span<const ValueId> inputs = region.inputs(node);
    if (compares == Arithmetic::kAnd) {
      const auto one = steps_while(region, inputs[0]), other = steps_while(region, inputs[1]);
      if (!one || !other) return std::nullopt;
      return std::min(*one, *other);
    }
    if (const auto counter = counter_of(region, inputs[0])) {
      if (const auto bound = known(region, inputs[1])) return count(*counter, compares, *bound);
    }
    if (const auto counter = counter_of(region, inputs[1])) {
      if (const auto bound = known(region, inputs[0]))
        return count(*counter, turned(compares), *bound);
    }
    return std::nullopt;
  }

  // The comparison with its two sides swapped.
  static Arithmetic turned(Arithmetic compares) {
    switch (compares) {
      case Arithmetic::kLess:
        return Arithmetic::kGreater;
      case Arithmetic::kLessEqual:
        return Arithmetic::kGreaterEqual;
      case Arithmetic::kGreater:
        return Arithmetic::kLess;
      case Arithmetic::kGreaterEqual:
        return Arithmetic::kLessEqual;
      default:
        return compares;
    }
  }

  // The value of a constant, or of an invariant that is one.
  std::optional<int64_t> known(const Graph& region, ValueId value) const {
    if (region.constant_of(value) != nullptr) return integer(region.constant_of(value));
    const Node& node = region.node(region.node_of(value));
    if (node.kind != NodeKind::kInput || node.index < control_.num_states) return std::nullopt;
    return integer(graph_.constant_of(graph_.inputs(node_)[static_cast<size_t>(node.index)]));
  }

  std::optional<Counter> counter_of(const Graph& region, ValueId value) const {
    const Node& input = region.node(region.node_of(value));
    if (input.kind != NodeKind::kInput || input.index >= control_.num_states) return std::nullopt;
    const auto number = static_cast<size_t>(input.index);
    const auto first = integer(graph_.constant_of(graph_.inputs(node_)[number]));
    const Graph& body = control_.region(Control::kBody);
    const Node& next = body.node(body.node_of(body.outputs()[number]));
    if (!first || next.kind != NodeKind::kOp || next.num_inputs != 2) return std::nullopt;
    const std::span<const ValueId> terms = body.inputs(next);
    const ValueId own = body.inputs()[number];
    const DType dtype = body.dtype(own);
    if (next.op->arithmetic == Arithmetic::kAdd) {
      const ValueId other = terms[0] == own ? terms[1] : terms[0];
      if (terms[0] != own && terms[1] != own) return std::nullopt;
      const auto step = known(body, other);
      return step ? std::optional(Counter{*first, *step, dtype}) : std::nullopt;
    }
    if (next.op->arithmetic == Arithmetic::kSubtract && terms[0] == own) {
      const auto step = known(body, terms[1]);
      return step ? std::optional(Counter{*first, -*step, dtype}) : std::nullopt;
    }
    return std::nullopt;
  }

  // None if the counter would never get there, or would leave its range.
  static std::optional<int64_t> count(const Counter& counter, Arithmetic compares, int64_t bound) {
    const Wide first = counter.first, step = counter.step;
    Wide distance = static_cast<Wide>(bound) - first;
    Wide toward = step;  // how much of the distance a step covers
    if (compares == Arithmetic::kNotEqual) {
      if (distance == 0) return 0;
      if (step == 0 || distance % step != 0 || distance / step < 0) return std::nullopt;
      return in_range(counter, distance / step);
    }
    const bool includes_bound =
        compares == Arithmetic::kLessEqual || compares == Arithmetic::kGreaterEqual;
    if (compares == Arithmetic::kGreater || compares == Arithmetic::kGreaterEqual) {
      distance = -distance;
      toward = -step;
    } else if (compares != Arithmetic::kLess && compares != Arithmetic::kLessEqual) {
      return std::nullopt;
    }
    if (includes_bound) ++distance;
    if (distance <= 0) return 0;
    if (toward <= 0) return std::nullopt;
    return in_range(counter, (distance + toward - 1) / toward);
  }

  static std::optional<int64_t> in_range(const Counter& counter, Wide steps) {
    const Wide last = counter.first + steps * counter.step;
    const bool is_int32 = counter.dtype == DType::kInt32;
    const Wide most =
        is_int32 ? std::numeric_limits<int32_t>::max() : std::numeric_limits<int64_t>::max();
    const Wide least =
        is_int32 ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int64_t>::min();
    if (last > most || last < least) return std::nullopt;
    return static_cast<int64_t>(steps);
  }

  const Graph& graph_;
  const Node& node_;
  const Control& control_;
};

}  // namespace

int64_t trip_count(const Graph& graph, const Node& node) {
  return TripCounter(graph, node).find().value_or(-1);
}

Graph count_trips(Graph graph) {
  for (NodeId id = 0; id < static_cast<NodeId>(graph.num_nodes()); ++id) {
    const Node& node = graph.node(id);
    if (node.kind != NodeKind::kControl) continue;
    const Control& control = *graph.control(node);
    if (control.kind == Control::Kind::kBranch || control.trips >= 0) continue;
    const int64_t trips = trip_count(graph, node);
    if (trips < 0) continue;
    auto counted = std::make_shared<Control>(control);
    counted->trips = trips;
    graph.set_control(id, std::move(counted));
  }
  return graph;
}

}  // namespace penstock
