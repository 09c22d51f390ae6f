#include "sequence.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include <penstock/exec/graph_builder.h>
#include <penstock/memory/reservation.h>
#include <penstock/memory/strings.h>

#include "array.h"
#include "errors.h"
#include "hooks.h"
#include "integer.h"
#include "tensor_object.h"
#include "variable_object.h"

namespace penstock::python {
namespace {

constexpr int64_t kUnbookedBytes = 256 << 10;  // that come and go with every call of Python

double double_of(PyObject* value) {
  if (PyFloat_CheckExact(value)) return PyFloat_AS_DOUBLE(value);
  const double number = PyFloat_AsDouble(value);
  if (number == -1 && PyErr_Occurred() != nullptr) {
    if (PyErr_ExceptionMatches(PyExc_OverflowError) != 0) fail_range(value, "float64");
    throw PythonError();
  }
  return number;
}

// Writes a leaf as an element. False for an integer that does not fit `T`. A float that is too
// large becomes infinity if its dtype was requested (`is_asked`), and is an error otherwise.
template <typename T>
bool put(T* out, PyObject* leaf, bool is_asked) {
  if constexpr (std::is_same_v<T, bool>) {
    *out = PyObject_IsTrue(leaf) == 1;
  } else if constexpr (std::is_integral_v<T>) {
    return to_integer(leaf, out);
  } else if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>) {
    *out = T(static_cast<float>(double_of(leaf)));
  } else if constexpr (std::is_floating_point_v<T>) {
    const double number = double_of(leaf);
    *out = static_cast<T>(number);
    if (!is_asked && std::isinf(*out) && !std::isinf(number))
      raise(PyExc_ValueError, "Can't convert Python sequence with a value out of range to Tensor.");
  } else if constexpr (std::is_same_v<T, StringRef>) {
    Py_ssize_t size = 0;
    if (PyBytes_Check(leaf)) {
      *out = make_string({PyBytes_AS_STRING(leaf), static_cast<size_t>(PyBytes_GET_SIZE(leaf))});
    } else if (const char* text = PyUnicode_AsUTF8AndSize(leaf, &size)) {
      *out = make_string({text, static_cast<size_t>(size)});
    } else {
      throw PythonError();
    }
  } else {  // complex
    const bool is_real = PyLong_Check(leaf) || PyFloat_Check(leaf);
    const Py_complex number = is_real ? Py_complex{double_of(leaf), 0} : PyComplex_AsCComplex(leaf);
    if (PyErr_Occurred() != nullptr) throw PythonError();
    *out = T(static_cast<typename T::value_type>(number.real),
             static_cast<typename T::value_type>(number.imag));
  }
  return true;
}

Leaf int_leaf(PyObject* value) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow != 0) return {Kind::kInt, DType::kUInt64};
  const bool fits = number >= INT32_MIN && number <= INT32_MAX;
  return {Kind::kInt, fits ? DType::kInt32 : DType::kInt64};
}

// A variable of a TensorFlow 1 graph, for example. Of other objects only integers, such as
// Dimension.
bool becomes_tensor(PyObject* object) {
  return (GraphBuilder::is_entered() || PyIndex_Check(object) != 0) &&
         leaf_of(object).kind == Kind::kNone && !is_array(object) &&
         PyObject_HasAttrString(object, "__tf_tensor__") != 0;
}

// The result of one walk through a nested list.
struct Scan {
  PyObject* list;       // the whole of it
  int leaf_depth = -1;  // unknown until the first leaf
  int depth = 0;        // of the deepest list
  int64_t dims[kMaxRank] = {};
  bool seen[kMaxRank] = {};
  Kind first = Kind::kNone;
  Kind kind = Kind::kNone;
  DType natural = DType::kInvalid;
  bool has_tensors = false;
  bool has_arrays = false;
  bool has_others = false;  // sequences of other types

  void walk(PyObject* object, int at);
  bool changes_nothing(PyObject* item, int at) const;
  void add(const Leaf& leaf);
  void add_leaf(PyObject* object, const Leaf& leaf, int at);
  Shape shape() const {
    const int rank = leaf_depth >= 0 ? leaf_depth : depth;
    return Shape(std::span<const int64_t>(dims, static_cast<size_t>(rank)));
  }
};

// A list or tuple with its type's own item access.
bool is_plain(PyObject* object) {
  const PyTypeObject* type = Py_TYPE(object);
  if (type == &PyList_Type || type == &PyTuple_Type) return true;
  const PyTypeObject& base = PyList_Check(object) ? PyList_Type : PyTuple_Type;
  return type->tp_iter == base.tp_iter &&
         type->tp_as_sequence->sq_length == base.tp_as_sequence->sq_length;
}

[[noreturn]] void fail_ragged() {
  raise(PyExc_ValueError, "Can't convert non-rectangular Python sequence to Tensor.");
}

// Graphs convert constants with NumPy, whose messages differ and which takes a bool for a number.
[[noreturn]] void fail_in_graph(PyObject* value) {
  raise(
      PyExc_TypeError,
      "Failed to convert elements of %R to Tensor. Consider casting elements to a supported type.",
      value);
}

void Scan::add(const Leaf& leaf) {
  if (first == Kind::kNone) first = leaf.kind;
  const bool is_text = leaf.kind == Kind::kString;
  const bool is_mixed = is_text != (first == Kind::kString);
  const bool after_bool = first == Kind::kBool && leaf.kind != Kind::kBool;
  if ((is_mixed || after_bool) && !makes_nodes())
    raise(PyExc_ValueError, "Can't convert Python sequence with mixed types to Tensor.");
  if (is_mixed) fail_in_graph(list);
  if (leaf.kind == kind) {
    // int64 over int32, uint64 over both; float64 (a NumPy scalar) over float32.
    if (natural != DType::kUInt64 && leaf.natural != DType::kInt32 &&
        leaf.natural != DType::kFloat32) {
      natural = leaf.natural;
    }
  } else if (leaf.kind > kind) {
    kind = leaf.kind;
    natural = leaf.natural;
  }
}

void Scan::add_leaf(PyObject* object, const Leaf& leaf, int at) {
  if (leaf.kind == Kind::kNone) fail_unsupported(object, list);
  if (depth > at || (leaf_depth >= 0 && leaf_depth != at)) fail_ragged();
  leaf_depth = at;
  add(leaf);
}

// A plain number of a kind seen before, at the same depth: the common case in long lists.
inline bool Scan::changes_nothing(PyObject* item, int at) const {
  int64_t small = 0;
  if (at != leaf_depth || kind > Kind::kComplex) return false;
  if (PyFloat_CheckExact(item)) return kind >= Kind::kFloat;
  return PyLong_CheckExact(item) && kind >= Kind::kInt && is_small(item, &small);
}

void Scan::walk(PyObject* object, int at) {
  if (PyLong_CheckExact(object)) return add_leaf(object, int_leaf(object), at);
  if (PyFloat_CheckExact(object)) return add_leaf(object, {Kind::kFloat, DType::kFloat32}, at);
  if (PyList_Check(object) || PyTuple_Check(object)) {
    if (!is_plain(object)) {
      has_others = true;
      return;
    }
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(object);
    if (at >= kMaxRank) raise(PyExc_ValueError, "A Tensor has at most %d dimensions.", kMaxRank);
    if ((leaf_depth >= 0 && at >= leaf_depth) || (seen[at] && dims[at] != size)) fail_ragged();
    dims[at] = size;
    seen[at] = true;
    if (at + 1 > depth) depth = at + 1;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
      PyObject* item = PySequence_Fast_GET_ITEM(object, i);
      if (!changes_nothing(item, at + 1)) walk(item, at + 1);
    }
    return;
  }
  if (PyObject_TypeCheck(object, tensor_base_type) || is_variable(object) ||
      becomes_tensor(object)) {
    has_tensors = true;
    return;
  }
  if (is_array(object)) {
    has_arrays = true;
    return;
  }
  const Leaf leaf = leaf_of(object);
  if (leaf.kind == Kind::kNone && is_sequence(object)) {
    has_others = true;
  } else {
    add_leaf(object, leaf, at);
  }
}

// Returns an element that `T` cannot hold, if there is one. Never writes past `end`, even if the
// lists have changed since they were scanned.
template <typename T>
PyObject* fill_list(T*& out, const T* end, PyObject* list, bool is_asked) {
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(list, i);
    if (PyList_Check(item) || PyTuple_Check(item)) {
      if (PyObject* unfit = fill_list(out, end, item, is_asked)) return unfit;
    } else {
      if (out == end) fail_ragged();
      if (!put(out++, item, is_asked)) return item;
    }
  }
  return nullptr;
}

PyObject* fill(const Tensor& tensor, PyObject* list, bool is_asked) {
  switch (tensor.dtype()) {
#define PEN_CASE(T, enumerator)                                         \
  case DType::enumerator: {                                             \
    T* out = static_cast<T*>(tensor.raw());                             \
    return fill_list(out, out + tensor.num_elements(), list, is_asked); \
  }
    PEN_FOR_EACH_DTYPE(PEN_CASE)
#undef PEN_CASE
    case DType::kInvalid:
      break;
  }
  return nullptr;
}

// The memory that NumPy needs to make one array of a list that contains arrays.
struct OneArray {
  static constexpr int64_t kMost = int64_t{1} << 56;
  static constexpr int kDeepest = 64;  // dimensions that NumPy has
  int64_t elements = 0;
  int64_t element_bytes = 0;  // the largest
  bool is_mixed = false;      // then NumPy finds a common dtype, of eight bytes or more

  void add(PyObject* object, int depth = 0) {
    if (PyList_Check(object) || PyTuple_Check(object)) {
      if (depth >= kDeepest) return;  // it may contain itself
      for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i)
        add(PySequence_Fast_GET_ITEM(object, i), depth + 1);
      return;
    }
    const bool is_one = !is_array(object);
    const int64_t count = is_one ? size_of(object) : array_size(object);
    const int64_t bytes = is_one || count == 0 ? 8 : array_bytes(object) / count;
    is_mixed = is_mixed || is_one || (element_bytes > 0 && bytes != element_bytes);
    elements = std::min(elements + std::min(count, kMost), kMost);
    element_bytes = std::max(element_bytes, bytes);
  }
  // The length of another sequence, such as a range; 1 for anything else.
  static int64_t size_of(PyObject* object) {
    if (leaf_of(object).kind != Kind::kNone || !is_sequence(object)) return 1;
    const Py_ssize_t size = PyObject_Size(object);
    if (size < 0) PyErr_Clear();
    return std::max<Py_ssize_t>(size, 1);
  }
  int64_t bytes() const {
    return elements * (is_mixed ? std::max(element_bytes, int64_t{8}) : element_bytes);
  }
};

// A list that contains arrays: its integers are converted as Python's own.
Tensor from_arrays(PyObject* list, DType dtype) {
  std::optional<Reservation> booked;
  if (const int64_t bytes = bytes_as_array(list); bytes > kUnbookedBytes)
    booked.emplace(bytes, "constant");
  Tensor tensor = copy_array(list, dtype);
  const DType own = tensor.dtype();
  if (dtype != DType::kInvalid) return tensor;
  if (own == DType::kFloat16) return copy_array(list, DType::kFloat32);
  if (!kIntTypes.has(own) || own == DType::kInt32) return tensor;
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    const double value = tensor.number_at(i);
    if (value < INT32_MIN || value > INT32_MAX) return copy_array(list, DType::kInt64);
  }
  return copy_array(list, DType::kInt32);
}

// Books the memory of lists made from other sequences, as they grow: a range may be long and small.
class GrowingLists {
 public:
  void add(PyObject* item) {
    const bool is_new = Py_REFCNT(item) == 1;
    left_ -= int64_t{sizeof(PyObject*)} + (is_new ? kObjectBytes : 0);
    if (left_ > 0) return;
    pieces_.push_back(std::make_unique<Reservation>(kPieceBytes, "constant"));
    left_ += kPieceBytes;
  }

 private:
  static constexpr int64_t kObjectBytes = 32;  // of a number
  static constexpr int64_t kPieceBytes = 1 << 20;
  int64_t left_ = kUnbookedBytes;
  std::vector<std::unique_ptr<Reservation>> pieces_;
};

// Converts any sequence, and the sequences in it, to lists of the declared length.
Ref plain_list(PyObject* object, int depth, GrowingLists& lists) {
  if (depth >= kMaxRank) raise(PyExc_ValueError, "A Tensor has at most %d dimensions.", kMaxRank);
  const Py_ssize_t size = PyObject_Size(object);
  if (size < 0) throw PythonError();
  const Ref items(checked(PyObject_GetIter(object)));
  Ref list(checked(PyList_New(0)));
  while (const Ref item{PyIter_Next(items.get())}) {
    if (PyList_GET_SIZE(list.get()) == size) fail_ragged();
    lists.add(item.get());
    const bool is_leaf = leaf_of(item.get()).kind != Kind::kNone || is_array(item.get()) ||
                         is_variable(item.get()) || !is_sequence(item.get());
    const Ref element =
        is_leaf ? Ref(Py_NewRef(item.get())) : plain_list(item.get(), depth + 1, lists);
    if (PyList_Append(list.get(), element.get()) < 0) throw PythonError();
  }
  if (PyErr_Occurred() != nullptr) throw PythonError();
  if (PyList_GET_SIZE(list.get()) != size) fail_ragged();
  return list;
}

Tensor stacked(PyObject* list, DType dtype, Wanted wanted) {
  const Ref type(dtype == DType::kInvalid ? Py_NewRef(Py_None) : dtype_object(dtype));
  PyObject* is_hint = wanted == Wanted::kAsHint ? Py_True : Py_False;
  const Ref tensor(
      checked(PyObject_CallFunctionObjArgs(hooks.stack, list, type.get(), is_hint, nullptr)));
  return value_of(tensor.get());
}

}  // namespace

Leaf leaf_of(PyObject* object) {
  if (PyBool_Check(object) || is_numpy_bool(object)) return {Kind::kBool, DType::kBool};
  if (PyLong_Check(object)) return int_leaf(object);
  if (PyFloat_Check(object))
    return {Kind::kFloat, PyFloat_CheckExact(object) ? DType::kFloat32 : DType::kFloat64};
  if (PyUnicode_Check(object) || PyBytes_Check(object)) return {Kind::kString, DType::kString};
  if (PyComplex_Check(object)) return {Kind::kComplex, DType::kComplex128};
  if (is_numpy_integer(object)) {
    const Ref index(checked(PyNumber_Index(object)));
    return int_leaf(index.get());
  }
  if (is_numpy_scalar(object) && Py_TYPE(object)->tp_as_number != nullptr &&
      Py_TYPE(object)->tp_as_number->nb_float != nullptr) {
    return {Kind::kFloat, DType::kFloat32};
  }
  return {};
}

DType choose_dtype(PyObject* value, Kind kind, DType natural, DType dtype, Wanted wanted) {
  bool fits = false;
  switch (kind) {
    case Kind::kBool:
      fits = kFixedTypes.has(dtype);
      break;
    case Kind::kInt:
      fits = kNumberTypes.has(dtype);
      break;
    case Kind::kFloat:
      fits = kFloatTypes.has(dtype);
      break;
    case Kind::kComplex:
      fits = kComplexTypes.has(dtype);
      break;
    case Kind::kString:
      fits = dtype == DType::kString;
      break;
    case Kind::kNone:
      fits = dtype != DType::kInvalid;
      break;
  }
  if (fits) return dtype;
  if (dtype != DType::kInvalid && wanted != Wanted::kAsHint) {
    raise(PyExc_TypeError, "Cannot convert %R to EagerTensor of dtype %s", value,
          dtype_name(dtype).data());
  }
  if (kind == Kind::kInt && natural == DType::kUInt64) {
    fail_range(value, "int64");
  }
  return kind == Kind::kNone ? DType::kFloat32 : natural;
}

bool put_element(DType dtype, void* out, PyObject* leaf, bool is_asked) {
  switch (dtype) {
#define PEN_CASE(T, enumerator) \
  case DType::enumerator:       \
    return put(static_cast<T*>(out), leaf, is_asked);
    PEN_FOR_EACH_DTYPE(PEN_CASE)
#undef PEN_CASE
    case DType::kInvalid:
      break;
  }
  return true;
}

bool is_sequence(PyObject* object) {
  return PySequence_Check(object) != 0 && PyType_Check(object) == 0 &&
         PyObject_HasAttrString(object, "__tf_tensor__") == 0;
}

int64_t bytes_as_array(PyObject* list) {
  OneArray whole;
  whole.add(list);
  return whole.bytes();
}

Tensor from_any_sequence(PyObject* sequence, DType dtype, Wanted wanted) {
  GrowingLists lists;
  return from_sequence(plain_list(sequence, 0, lists).get(), dtype, wanted);
}

void fail_unsupported(PyObject* value, PyObject* whole) {
  if (whole != Py_None && makes_nodes()) fail_in_graph(whole);
  raise(PyExc_ValueError,
        "Attempt to convert a value (%R) with an unsupported type (%R) to a Tensor.", value,
        reinterpret_cast<PyObject*>(Py_TYPE(value)));
}

Tensor from_sequence(PyObject* list, DType dtype, Wanted wanted) {
  Scan scan{.list = list};
  scan.walk(list, 0);
  if (scan.has_others) return from_any_sequence(list, dtype, wanted);
  if (scan.has_tensors) return stacked(list, dtype, wanted);
  if (scan.has_arrays) return from_arrays(list, dtype);
  const DType chosen = choose_dtype(list, scan.kind, scan.natural, dtype, wanted);
  Tensor tensor = Tensor::empty(chosen, scan.shape(), Tag::kConstant);
  PyObject* unfit = fill(tensor, list, dtype != DType::kInvalid);
  if (unfit == nullptr) return tensor;
  if (wanted == Wanted::kAsHint) return from_sequence(list, DType::kInvalid, Wanted::kStrictly);
  fail_range(unfit, dtype_name(chosen).data());
}

}  // namespace penstock::python
