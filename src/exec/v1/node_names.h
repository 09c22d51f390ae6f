// TensorFlow's names of the constants among a node's inputs. The name of the node itself is in the
// OpDef (GraphName).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <penstock/core/attr.h>
#include <penstock/core/shape.h>
#include <penstock/ops/op_def.h>
#include <penstock/tensor/tensor.h>

namespace penstock::exec {

// The name of a constant at input `i` of a call, within the call's name.
std::string input_name(const OpDef& op, size_t i);

struct NamedConstant {
  std::string_view name;
  std::optional<Tensor> value;  // none: nodes of these names compute it
  bool is_outside = false;      // named next to the call, not within its name
};
// An attribute that TensorFlow has as an input, as that constant. `first` is the shape of the first
// input.
std::optional<NamedConstant> attr_as_input(const OpDef& op, size_t attr, const Attr& value,
                                           const Shape* first);

}  // namespace penstock::exec
