#include "exec/v1/node_names.h"

#include <algorithm>
#include <span>
#include <vector>

#include <penstock/base/strings.h>

namespace penstock::exec {
namespace {

Tensor as_tensor(std::span<const int64_t> values) {
  const std::vector<int32_t> narrow(values.begin(), values.end());
  return Tensor::from<int32_t>(std::span<const int32_t>(narrow),
                               {static_cast<int64_t>(narrow.size())});
}

Tensor one(int64_t value) { return Tensor::scalar(DType::kInt32, static_cast<double>(value)); }

bool is_all_axes(std::span<const int64_t> axes) {
  const std::span<const int64_t> all = kAllAxes.as_ints();
  return axes.size() == all.size() && std::equal(axes.begin(), axes.end(), all.begin());
}

// All axes of a shape, the first or the last one first.
std::optional<Tensor> axes_of(const Shape* shape, bool is_reversed) {
  if (shape == nullptr || !shape->has_rank()) return std::nullopt;
  std::vector<int64_t> axes;
  for (int i = 0; i < shape->rank(); ++i) axes.push_back(is_reversed ? shape->rank() - 1 - i : i);
  return as_tensor(axes);
}

}  // namespace

std::string input_name(const OpDef& op, size_t i) {
  const std::string_view name = op.input(i).name;
  if (i > 0 && !op.graph_name.constants.empty()) return std::string(op.graph_name.constants);
  const size_t last = op.inputs.size() - 1;
  return op.input(i).many ? cat(name, "_", i - last) : std::string(name);
}

std::optional<NamedConstant> attr_as_input(const OpDef& op, size_t attr, const Attr& value,
                                           const Shape* first) {
  const std::span<const GraphName::AttrInput> inputs = op.graph_name.attr_inputs;
  const auto found = std::ranges::find(inputs, op.attrs[attr].name, &GraphName::AttrInput::attr);
  if (found == inputs.end()) return std::nullopt;
  const std::string_view name = found->input;
  if (value.kind() == AttrKind::kInt) return NamedConstant{name, one(value.as_int())};
  const std::span<const int64_t> ints = value.as_ints();
  const bool is_permutation = op.traits.has(Trait::kPermutes);
  if (is_permutation ? ints.empty() : is_all_axes(ints)) {
    const std::optional<Tensor> axes = axes_of(first, is_permutation);
    if (is_permutation) return axes ? std::optional(NamedConstant{name, *axes}) : std::nullopt;
    // TensorFlow computes the rank at run time, even for scalars.
    if (!axes || first->rank() == 0) return NamedConstant{kAllAxesNodes, std::nullopt, true};
    return NamedConstant{"Const", *axes, true};
  }
  if (name == "Const") return NamedConstant{"Const", as_tensor(ints), true};
  if (ints.size() == 1 && !is_permutation) return NamedConstant{name, one(ints[0])};
  return NamedConstant{name, as_tensor(ints)};
}

}  // namespace penstock::exec
