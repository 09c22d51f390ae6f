// What TensorFlow calls a node by default, and what it calls the constants among its inputs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <penstock/core/attr.h>
#include <penstock/core/shape.h>
#include <penstock/ops/op_def.h>
#include <penstock/tensor/tensor.h>

#include "exec/v1/late_names.h"

namespace penstock::exec {

// What TensorFlow's function calls an op of this type: a name, and where it makes several nodes of
// it, what the last of them is called within ("*": as it was asked to, or else by its type). An
// empty result is the name itself. Where it depends on the call, `late` says more.
struct DefaultName {
  std::string_view scope, result;
  LateNameFn late = nullptr;
};
DefaultName default_name(std::string_view type);
// What a constant at input `i` of a call is called, within the call's name.
std::string input_name(const OpDef& op, size_t i);

struct NamedConstant {
  std::string_view name;
  std::optional<Tensor> value;  // none: it is worked out there, by nodes of these names
  bool is_outside = false;      // named next to the call, not within its name
};
// An attribute that TensorFlow has as an input, as the constant that it has there. `first` is the
// shape of the first input.
std::optional<NamedConstant> attr_as_input(const OpDef& op, size_t attr, const Attr& value,
                                           const Shape* first);

}  // namespace penstock::exec
