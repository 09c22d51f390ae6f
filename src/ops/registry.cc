#include <penstock/ops/registry.h>

#include <dlfcn.h>

#include <mutex>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>

#include "ops/op_defs.h"

namespace penstock {

namespace {

constexpr const OpDef* kBuiltIn[] = {
#define PEN_OP(id) &id##_op,
#include "ops/op_list.inc"
#undef PEN_OP
};

std::mutex g_lock;
std::vector<const OpDef*>& added_ops() {
  // Never destroyed: a daemon thread may be here while the process ends.
  static auto& ops = *new std::vector<const OpDef*>;
  return ops;
}

// Pre: the lock is held.
const OpDef* find_among_all(std::string_view name) {
  for (const OpDef* op : kBuiltIn) {
    if (op->name.value == name) return op;
  }
  for (const OpDef* op : added_ops()) {
    if (op->name.value == name) return op;
  }
  return nullptr;
}

}  // namespace

const OpDef* find_op(std::string_view name) {
  const std::lock_guard lock(g_lock);
  return find_among_all(name);
}

const OpDef* find_operator(std::string_view name, bool for_other_dtypes) {
  for (const OpDef* op : kBuiltIn) {
    for (const OperatorDef& def : op->operators) {
      if (def.name == name && def.for_other_dtypes == for_other_dtypes) return op;
    }
  }
  return nullptr;
}

std::vector<const OpDef*> all_ops() {
  std::vector<const OpDef*> ops(std::begin(kBuiltIn), std::end(kBuiltIn));
  const std::lock_guard lock(g_lock);
  ops.insert(ops.end(), added_ops().begin(), added_ops().end());
  return ops;
}

namespace {

// Why a definition is invalid; null if it is valid. Built-in ones are valid by construction.
const char* problem_of(const OpDef& op) {
  if (op.name.value.empty()) return "it has no name";
  if (op.infer.value == nullptr && op.compose == nullptr)
    return "it must have an infer or a compose function";
  if (op.samples.value == nullptr) return "it has no samples";
  if (op.outputs.size() == 0) return "it has no outputs";
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const char type = op.inputs[i].type;
    if ((type < 'A' || type > 'Z') && type != kMixed)
      return "an input's type is not a capital letter";
    if (op.inputs[i].many && i + 1 != op.inputs.size())
      return "only its last input can take many tensors";
  }
  for (const AttrDef& attr : op.attrs) {
    const AttrKind fallback = attr.fallback.kind();
    if (attr.kind == AttrKind::kNone) return "an attribute has no kind";
    if (fallback != AttrKind::kNone && fallback != attr.kind)
      return "an attribute's default is of another kind";
  }
  for (const Forward& forward : op.forwards) {
    if (forward.input >= op.inputs.size() || forward.output >= op.outputs.size()) {
      return "it forwards an input or output that it does not have";
    }
  }
  return nullptr;
}

}  // namespace

void register_op(const OpDef& op) {
  if (const char* problem = problem_of(op)) {
    throw InvalidArgumentError(cat("the op '", op.name.value, "' cannot be registered: ", problem));
  }
  const std::lock_guard lock(g_lock);
  if (find_among_all(op.name) != nullptr) {
    throw AlreadyExistsError(cat("there is an op ", op.name.value, " already"));
  }
  added_ops().push_back(&op);
}

void load_op_library(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw NotFoundError(cat("cannot load the op library: ", dlerror()));
  using Register = void (*)();
  const auto register_ops = reinterpret_cast<Register>(dlsym(library, "penstock_register_ops"));
  if (register_ops == nullptr) {
    dlclose(library);
    throw NotFoundError(cat(path, " has no function penstock_register_ops"));
  }
  register_ops();  // the library stays loaded: its OpDefs are in use from here on
}

Tensors call(std::string_view name, std::span<const Tensor> inputs,
             std::span<const NamedAttr> attrs) {
  const OpDef* op = find_op(name);
  if (op == nullptr) throw NotFoundError(cat("there is no op named ", name));
  return call(*op, inputs, attrs);
}

SmallVector<Attr, 8> in_order(const OpDef& op, std::span<const NamedAttr> attrs) {
  SmallVector<Attr, 8> values;
  size_t used = 0;
  for (const AttrDef& def : op.attrs) {
    Attr value = def.fallback;
    for (const NamedAttr& attr : attrs) {
      if (attr.name != def.name) continue;
      value = attr.value;
      ++used;
    }
    if (value.kind() == AttrKind::kNone) {
      throw InvalidArgumentError(
          cat("[", op.name.value, "] attribute '", def.name, "' is missing"));
    }
    values.push_back(value);
  }
  if (used != attrs.size()) {
    throw InvalidArgumentError(
        cat("[", op.name.value, "] was given an attribute that it does not have"));
  }
  return values;
}

Tensors call(const OpDef& op, std::span<const Tensor> inputs, std::span<const NamedAttr> attrs,
             uint64_t donated) {
  const SmallVector<Attr, 8> values = in_order(op, attrs);
  SmallVector<const Tensor*, 4> pointers;
  for (const Tensor& input : inputs) pointers.push_back(&input);
  return dispatch(op, pointers, values, donated);
}

}  // namespace penstock
