// TensorFlow's default names of nodes and of the constants among their inputs.
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

// TensorFlow's default name for an op of this type and, if its function creates several nodes, the
// name of the last one within it ("*": the given name, or else the type). An empty result is the
// name itself. If it depends on the call, `late` decides.
struct DefaultName {
  std::string_view scope, result;
  LateNameFn late = nullptr;
};
DefaultName default_name(std::string_view type);
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
