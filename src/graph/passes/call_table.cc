#include "graph/passes/call_table.h"

#include <algorithm>
#include <bit>

namespace penstock {
namespace {

void mix(uint64_t& hash, uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
  hash ^= hash >> 29;
}

void mix(uint64_t& hash, const Attr& attr) {
  switch (attr.kind()) {
    case AttrKind::kNone:
      return;
    case AttrKind::kInt:
      return mix(hash, static_cast<uint64_t>(attr.as_int()));
    case AttrKind::kFloat:
      return mix(hash, std::bit_cast<uint64_t>(attr.as_float()));
    case AttrKind::kBool:
      return mix(hash, uint64_t{attr.as_bool()});
    case AttrKind::kDType:
      return mix(hash, static_cast<uint64_t>(attr.as_dtype()));
    case AttrKind::kString:
      return mix(hash, uint64_t{std::hash<std::string_view>()(attr.as_string())});
    case AttrKind::kInts:
      for (int64_t value : attr.as_ints()) mix(hash, static_cast<uint64_t>(value));
  }
}

uint64_t hash_of(const OpDef& op, std::span<const ValueId> inputs, Attrs attrs) {
  auto hash = reinterpret_cast<uintptr_t>(&op);
  for (ValueId input : inputs) mix(hash, static_cast<uint64_t>(input));
  for (const Attr& attr : attrs) mix(hash, attr);
  return hash;
}

// Compares floats by their bits: 0 and -0 are different attributes.
bool is_same(const Attr& a, const Attr& b) {
  if (a.kind() == AttrKind::kFloat && b.kind() == AttrKind::kFloat)
    return std::bit_cast<uint64_t>(a.as_float()) == std::bit_cast<uint64_t>(b.as_float());
  return a == b;
}

// Repeated values are cheaper to recompute than to keep until their last use.
bool may_merge(const OpDef& op) {
  return !op.traits.has(Trait::kStateful) && op.repeated_input < 0;
}

}  // namespace

NodeId CallTable::find(const Graph& graph, const Call& call) const {
  if (!may_merge(call.op)) return kNoIndex;
  const auto [first, last] = found_.equal_range(hash_of(call.op, call.inputs, call.attrs));
  for (auto it = first; it != last; ++it) {
    const Node& node = graph.node(it->second);
    if (node.op == &call.op && std::ranges::equal(graph.inputs(node), call.inputs) &&
        std::ranges::equal(graph.attrs(node), call.attrs, is_same))
      return it->second;
  }
  return kNoIndex;
}

void CallTable::add(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (may_merge(*node.op))
    found_.emplace(hash_of(*node.op, graph.inputs(node), graph.attrs(node)), id);
}

}  // namespace penstock
