// The registry: every op by name, built-in (op_list.inc) and added by users at run time.
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <penstock/base/export.h>
#include <penstock/ops/dispatch.h>

namespace penstock {

// Null if there is no op of that name.
PEN_API const OpDef* find_op(std::string_view name);
// The op that Python's operator of that name calls, or the one for the dtypes that this op does not
// accept; null if there is none.
PEN_API const OpDef* find_operator(std::string_view name, bool for_other_dtypes = false);
// All ops, in list order.
PEN_API std::vector<const OpDef*> all_ops();
// Adds a user's op, which must outlive its last call. Throws AlreadyExistsError if the name is
// taken and InvalidArgumentError if the definition is incomplete.
PEN_API void register_op(const OpDef& op);
// Loads a shared library and calls its `extern "C" void penstock_register_ops()`. Throws
// NotFoundError if the file or the function does not exist.
PEN_API void load_op_library(const char* path);

struct NamedAttr {
  std::string_view name;
  Attr value;
};
// All of `op`'s attributes in its order: those given, and defaults for the others. Throws
// InvalidArgumentError for unknown or missing attributes.
PEN_API SmallVector<Attr, 8> in_order(const OpDef& op, std::span<const NamedAttr> attrs);
// Runs an op by name with named attributes; omitted ones take their defaults. Throws NotFoundError
// for an unknown op and InvalidArgumentError for unknown or missing attributes. `donated` is as in
// dispatch: bit i donates input i.
PEN_API Tensors call(std::string_view op, std::span<const Tensor> inputs,
                     std::span<const NamedAttr> attrs = {});
PEN_API Tensors call(const OpDef& op, std::span<const Tensor> inputs,
                     std::span<const NamedAttr> attrs = {}, uint64_t donated = 0);
inline Tensors call(std::string_view op, std::initializer_list<Tensor> inputs,
                    std::initializer_list<NamedAttr> attrs = {}) {
  return call(op, std::span(inputs.begin(), inputs.size()), std::span(attrs.begin(), attrs.size()));
}

}  // namespace penstock
