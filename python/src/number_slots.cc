#include "number_slots.h"

#include <optional>
#include <string_view>

#include <penstock/exec/graph_builder.h>
#include <penstock/exec/trace.h>
#include <penstock/ops.h>
#include <penstock/ops/registry.h>

#include "array.h"
#include "convert.h"
#include "errors.h"
#include "run.h"
#include "temporaries.h"
#include "tensor_object.h"
#include "variable_object.h"

namespace penstock::python {
namespace {

// The operators. An OpDef lists the ones that call it (OperatorDef).
enum Which {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kFloorDiv,
  kMod,
  kPow,
  kMatMul,
  kAnd,
  kOr,
  kXor,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kNeg,
  kAbs,
  kInvert,
  kCount,
};
struct Operator {
  const char* name;
  // The method by which the other side could take over. Such operators are also what their nodes
  // are called in TensorFlow's graphs; those of the others are called as the op.
  const char* reflected = nullptr;
};
constexpr Operator kOperators[kCount] = {
    {"add", "__radd__"},
    {"sub", "__rsub__"},
    {"mul", "__rmul__"},
    {"truediv", "__rtruediv__"},
    {"floordiv", "__rfloordiv__"},
    {"mod", "__rmod__"},
    {"pow", "__rpow__"},
    {"matmul", "__rmatmul__"},
    {"and", "__rand__"},
    {"or", "__ror__"},
    {"xor", "__rxor__"},
    {"eq"},
    {"ne"},
    {"lt"},
    {"le"},
    {"gt"},
    {"ge"},
    {"neg"},
    {"abs"},
    {"invert"},
};

const OpDef& op_for(Which which, DType dtype) {
  struct Found {
    const OpDef *op, *other;
  };
  static Found found[kCount] = {};
  Found& own = found[which];
  if (own.op == nullptr)
    own = {find_operator(kOperators[which].name), find_operator(kOperators[which].name, true)};
  if (own.other != nullptr && !own.op->inputs[0].dtypes.has(dtype)) [[unlikely]] {
    if (own.other->inputs[0].dtypes.has(dtype)) return *own.other;
  }
  return *own.op;
}

// All of an op's attributes at their defaults.
Attrs defaults_of(const OpDef& op, SmallVector<Attr, 8>& storage) {
  for (const AttrDef& attr : op.attrs) storage.push_back(attr.fallback);
  return storage;
}

// Names the node of an operator after the operator.
void name_node(std::optional<GraphBuilder::Call>& node, const OpDef& op, Which which) {
  const Operator& entry = kOperators[which];
  node.emplace(op, entry.reflected == nullptr ? std::string_view() : entry.name);
}

// `caller` is the return address of the type slot; null if the result is needed now.
PyObject* call(Which which, const Tensor* a, const Tensor* b, uint64_t donated, const void* caller,
               GraphBuilder::Call* node = nullptr) {
  const OpDef& op = op_for(which, a->dtype());
  const Tensor* const inputs[] = {a, b};
  const std::span<const Tensor* const> used(inputs, b != nullptr ? 2 : 1);
  std::optional<GraphBuilder::Call> own;
  const bool is_symbolic = a->is_symbolic() || (b != nullptr && b->is_symbolic());
  if (node == nullptr && is_symbolic && GraphBuilder::is_entered()) [[unlikely]] {
    name_node(own, op, which);
    node = &*own;
  }
  if (node != nullptr) node->set_next();
  if (op.attrs.size() == 0) {
    if (donated == 0 && caller != nullptr && may_be_put_off(used) && is_next_operand(caller)) {
      if (auto pending = DeferredElementwise::make(op, used)) return wrap(std::move(pending));
    }
    return wrap(std::move(run(op, used, {}, donated)[0]));
  }
  SmallVector<Attr, 8> attrs;
  return wrap(std::move(run(op, used, defaults_of(op, attrs), donated)[0]));
}

bool is_ours(PyObject* object) { return has_tensor(object) || is_variable(object); }
// A tensor that is not eager (in a graph) handles the operator itself.
bool is_other_tensor(PyObject* object) {
  return !has_tensor(object) && PyObject_TypeCheck(object, tensor_base_type);
}

Tensor cast_to(Tensor tensor, DType dtype) {
  if (tensor.dtype() == dtype) return tensor;
  const bool is_large = tensor.has_data() && tensor.num_bytes() >= kBytesWorthReleasing;
  const WithoutGil released(is_large && !Trace::is_open());
  return cast(tensor, dtype);
}

struct Operands {
  Tensor a, b;
};

// How the number on the right of an operator is converted: some operators let it keep its own dtype
// if it cannot take the other side's, and report the error themselves.
Wanted wanted_for(Which which, DType left) {
  if (which == kAdd || which == kDiv || which == kMatMul) return Wanted::kAsHint;
  return which == kMul && left == DType::kBool ? Wanted::kAsHint : Wanted::kStrictly;
}

// Both sides as tensors. A number takes the dtype of the tensor on the other side.
Operands convert(Which which, PyObject* a, PyObject* b) {
  Operands operands{value_of(a), value_of(b)};
  if (!operands.a.defined()) operands.a = to_tensor(a, operands.b.dtype());
  if (!operands.b.defined()) {
    const DType left = operands.a.dtype();
    operands.b = to_tensor(b, left, wanted_for(which, left));
  }
  return operands;
}

// TensorFlow divides small integers as float32 and large ones as float64.
void prepare_division(Operands& operands) {
  const DType dtype = operands.a.dtype();
  if (dtype != operands.b.dtype()) {
    raise(PyExc_TypeError, "`x` and `y` must have the same dtype, got tf.%s != tf.%s.",
          dtype_name(dtype).data(), dtype_name(operands.b.dtype()).data());
  }
  if (!kNumberTypes.has(dtype))
    raise(PyExc_TypeError, "Invalid dtype tf.%s in __truediv__.", dtype_name(dtype).data());
  if (!kIntTypes.has(dtype)) return;
  const DType real = dtype_size(dtype) <= 2 ? DType::kFloat32 : DType::kFloat64;
  operands.a = cast_to(std::move(operands.a), real);
  operands.b = cast_to(std::move(operands.b), real);
}

bool is_bool(const Tensor& tensor) { return tensor.dtype() == DType::kBool; }
// A product with bools is a logical and.
void prepare_product(Operands& operands) {
  if (!is_bool(operands.a) && !is_bool(operands.b)) return;
  operands.a = cast_to(std::move(operands.a), DType::kBool);
  operands.b = cast_to(std::move(operands.b), DType::kBool);
}

bool is_conversion_error() {
  return PyErr_ExceptionMatches(PyExc_TypeError) != 0 ||
         PyErr_ExceptionMatches(PyExc_ValueError) != 0;
}

// Whether a number, or an array or list of numbers, is out of range: its own operator would not
// help.
bool is_bad_value(PyObject* other) {
  return PyErr_ExceptionMatches(PyExc_ValueError) != 0 &&
         (PyLong_Check(other) || PyList_Check(other) || PyTuple_Check(other) || is_array(other) ||
          is_numpy_scalar(other));
}

// True if an operand that we cannot convert has its own operator for this.
bool defers_to(PyObject* other, Which which) {
  const char* method = kOperators[which].reflected;
  return method != nullptr && PyObject_HasAttrString(other, method) != 0;
}

[[gnu::noinline]] PyObject* convert_and_call(Which which, PyObject* a, PyObject* b,
                                             const void* caller) {
  if (is_other_tensor(a) || is_other_tensor(b)) return Py_NewRef(Py_NotImplemented);
  std::optional<GraphBuilder::Call> node;
  if (GraphBuilder::is_entered()) name_node(node, op_for(which, DType::kFloat32), which);
  GraphBuilder::Call* const named = node ? &*node : nullptr;
  Operands operands;
  try {
    operands = convert(which, a, b);
  } catch (const PythonError&) {
    if (!is_ours(a) || is_ours(b) || !is_conversion_error() || is_bad_value(b)) throw;
    PyErr_Clear();
    if (defers_to(b, which)) return Py_NewRef(Py_NotImplemented);
    operands = convert(which, a, b);  // to raise its error again
  }
  if (which == kDiv) prepare_division(operands);
  if (which == kMul) prepare_product(operands);
  // Operands converted here are ours alone; of the others the temporaries may be donated.
  const uint64_t temporaries = temporary_operands(a, b, caller);
  if ((temporaries & 1) != 0 && has_tensor(a) && operands.a.id() == tensor_of(a).id()) {
    operands.a = Tensor();
    const Tensor* left = &tensor_of(a);
    return call(which, left, &operands.b, 1, caller, named);
  }
  if ((temporaries & 2) != 0 && has_tensor(b) && operands.b.id() == tensor_of(b).id()) {
    operands.b = Tensor();
    return call(which, &operands.a, &tensor_of(b), 2, caller, named);
  }
  return call(which, &operands.a, &operands.b, 0, caller, named);
}

// The right operand is still pending, and nobody else can see it.
[[gnu::noinline]] PyObject* call_pending(Which which, PyObject* a, PyObject* b,
                                         const void* caller) {
  Tensor& left = tensor_of(a);
  const OpDef& op = op_for(which, left.dtype());
  const bool is_given = (temporary_operands(a, b, caller) & 1) != 0;
  return wrap([&] {
    const WithoutGil released;
    return pending_of(b)->run_into(op, left, is_given);
  }());
}

// True if the op accepts two tensors unchanged, or rejects them as TensorFlow does.
template <Which which>
bool is_plain(const Tensor& a, const Tensor& b) {
  if (which == kDiv) return a.dtype() == b.dtype() && kFloatTypes.has(a.dtype());
  return which != kMul || (!is_bool(a) && !is_bool(b));
}

template <Which which>
PyObject* binary(PyObject* a, PyObject* b) {
  const void* caller = __builtin_return_address(0);
  return guarded([&] {
    if (has_tensor(a) && has_tensor(b)) [[likely]] {
      if (which <= kDiv && is_hidden_pending(b) &&
          description_of(a).dtype() == description_of(b).dtype()) {
        return call_pending(which, a, b, caller);
      }
      if (is_plain<which>(tensor_of(a), tensor_of(b))) {
        return call(which, &tensor_of(a), &tensor_of(b), temporary_operands(a, b, caller), caller);
      }
    }
    return convert_and_call(which, a, b, caller);
  });
}

PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) return Py_NewRef(Py_NotImplemented);
  const void* caller = __builtin_return_address(0);
  return guarded([&] { return convert_and_call(kPow, a, b, caller); });
}

template <Which which>
PyObject* unary(PyObject* a) {
  const void* caller = __builtin_return_address(0);
  return guarded([&] {
    if (has_tensor(a))
      return call(which, &tensor_of(a), nullptr, temporary_operands(a, nullptr, caller), caller);
    const Tensor own = value_of(a);
    return call(which, &own, nullptr, 0, caller);
  });
}

PyObject* positive(PyObject* a) { return Py_NewRef(a); }

// Tensors of TensorFlow 1 graphs are dictionary keys: they equal themselves.
bool is_graph_tensor(PyObject* object) {
  return has_tensor(object) && GraphBuilder::owns(description_of(object));
}

// Whether == compares elements; otherwise it compares identity.
bool g_compares_elements = true;

// == and != never fail for another shape or None: the two are then not equal.
PyObject* equality(Which which, PyObject* a, PyObject* b) {
  PyObject* unequal = which == kEq ? Py_False : Py_True;
  if (b == Py_None) return Py_NewRef(unequal);
  if (!g_compares_elements && !is_graph_tensor(a))
    return Py_NewRef((a == b) == (which == kEq) ? Py_True : Py_False);
  if (is_graph_tensor(a)) {
    const bool same = has_tensor(b) && description_of(a).graph() == description_of(b).graph() &&
                      description_of(a).value() == description_of(b).value();
    return Py_NewRef(same == (which == kEq) ? Py_True : Py_False);
  }
  if (is_other_tensor(b)) return Py_NewRef(Py_NotImplemented);
  const Operands operands = convert(which, a, b);
  try {
    return call(which, &operands.a, &operands.b, 0, nullptr);
  } catch (const TypeError&) {
    throw;
  } catch (const InvalidArgumentError&) {
    return wrap(Tensor(which == kNe));
  }
}

PyObject* compare(PyObject* a, PyObject* b, int operation) {
  return guarded([&]() -> PyObject* {
    switch (operation) {
      case Py_EQ:
        return equality(kEq, a, b);
      case Py_NE:
        return equality(kNe, a, b);
      case Py_LT:
        return convert_and_call(kLt, a, b, nullptr);
      case Py_LE:
        return convert_and_call(kLe, a, b, nullptr);
      case Py_GT:
        return convert_and_call(kGt, a, b, nullptr);
      default:
        return convert_and_call(kGe, a, b, nullptr);
    }
  });
}

Py_hash_t hash(PyObject* self) {
  if (is_graph_tensor(self)) {
    const Tensor& tensor = description_of(self);
    const auto key = (uint64_t{tensor.graph()} << 32) | static_cast<uint32_t>(tensor.value());
    return static_cast<Py_hash_t>(key * 0x9E3779B97F4A7C15u >> 2);
  }
  if (!g_compares_elements) return static_cast<Py_hash_t>(reinterpret_cast<uintptr_t>(self) >> 4);
  if (has_tensor(self)) {
    PyErr_SetString(PyExc_TypeError, "Tensor is unhashable. Instead, use tensor.ref() as the key.");
  } else {
    PyErr_Format(PyExc_TypeError,
                 "Variable is unhashable. Instead, use variable.ref() as the key. (Variable: %R)",
                 self);
  }
  return -1;
}

int truth(PyObject* self) {
  return guarded(-1, [&] {
    const Tensor own = value_of(self);
    if (own.num_elements() > 1) {
      raise(PyExc_ValueError,
            "The truth value of an array with more than one element is ambiguous. Use a.any() or "
            "a.all()");
    }
    if (own.num_elements() == 0) return 0;
    if (own.dtype() == DType::kString) return own.string_at(0).empty() ? 0 : 1;
    return own.number_at(0) != 0 ? 1 : 0;
  });
}

// The only element as a Python number of its kind.
PyObject* number_of(const Tensor& tensor) {
  if (tensor.rank() != 0)
    raise(PyExc_TypeError, "only 0-dimensional arrays can be converted to Python scalars");
  switch (tensor.dtype()) {
    case DType::kInt64:
      return PyLong_FromLongLong(tensor.item<int64_t>());
    case DType::kUInt64:
      return PyLong_FromUnsignedLongLong(tensor.item<uint64_t>());
    case DType::kComplex64:
    case DType::kComplex128:
      raise(PyExc_TypeError, "can't convert complex to float");
    case DType::kString: {
      const std::string_view text = tensor.string_at(0);
      return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr);
    }
    default:
      break;
  }
  const double number = tensor.number_at(0);
  if (kRealFloatTypes.has(tensor.dtype())) return PyFloat_FromDouble(number);
  return PyLong_FromLongLong(static_cast<long long>(number));
}

PyObject* to_int(PyObject* self) {
  return guarded([&] {
    const Ref number(checked(number_of(value_of(self))));
    return PyNumber_Long(number.get());
  });
}
PyObject* to_float(PyObject* self) {
  return guarded([&] {
    const Ref number(checked(number_of(value_of(self))));
    return PyNumber_Float(number.get());
  });
}
PyObject* to_index(PyObject* self) {
  return guarded([&] {
    const Tensor own = value_of(self);
    if (own.rank() != 0 || !kIntTypes.has(own.dtype()))
      raise(PyExc_TypeError, "only integer scalar arrays can be converted to a scalar index");
    return checked(number_of(own));
  });
}

template <typename F>
void* slot(F* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

int add_number_slots(PyType_Slot* slots) {
  const PyType_Slot all[] = {
      {Py_nb_add, slot(binary<kAdd>)},
      {Py_nb_subtract, slot(binary<kSub>)},
      {Py_nb_multiply, slot(binary<kMul>)},
      {Py_nb_true_divide, slot(binary<kDiv>)},
      {Py_nb_floor_divide, slot(binary<kFloorDiv>)},
      {Py_nb_remainder, slot(binary<kMod>)},
      {Py_nb_power, slot(power)},
      {Py_nb_matrix_multiply, slot(binary<kMatMul>)},
      {Py_nb_and, slot(binary<kAnd>)},
      {Py_nb_or, slot(binary<kOr>)},
      {Py_nb_xor, slot(binary<kXor>)},
      {Py_nb_negative, slot(unary<kNeg>)},
      {Py_nb_absolute, slot(unary<kAbs>)},
      {Py_nb_invert, slot(unary<kInvert>)},
      {Py_nb_positive, slot(positive)},
      {Py_nb_bool, slot(truth)},
      {Py_nb_int, slot(to_int)},
      {Py_nb_float, slot(to_float)},
      {Py_nb_index, slot(to_index)},
      {Py_tp_richcompare, slot(compare)},
      {Py_tp_hash, slot(hash)},
  };
  int count = 0;
  for (const PyType_Slot& each : all) slots[count++] = each;
  return count;
}

PyObject* set_tensor_equality(PyObject*, PyObject* wanted) {
  const int is_wanted = PyObject_IsTrue(wanted);
  if (is_wanted < 0) return nullptr;
  g_compares_elements = is_wanted != 0;
  return Py_NewRef(Py_None);
}

}  // namespace penstock::python
