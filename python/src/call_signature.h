// CallSignature: describes the arguments of a call, so that a later equivalent call is recognised:
// tensors and arrays of the same dtype and shape, the same variables and objects, numbers and
// strings of the same type and value, and lists, tuples and dictionaries of these.
#pragma once

#include <Python.h>

#include <forward_list>
#include <vector>

#include <penstock/tensor/tensor.h>

#include "errors.h"

namespace penstock::python {

// One argument, or an item of one.
struct Argument {
  enum Kind { kTensor, kVariable, kLiteral, kObject, kList, kTuple, kDict };
  Kind kind = kTensor;
  DType dtype = DType::kInvalid;  // of a tensor
  Shape shape;
  uint64_t variable = 0;  // its id
  // The value of a literal, a weak reference to an object, or a dictionary's sorted keys.
  Ref object;
  std::vector<Argument> items;  // of a list, a tuple or a dictionary
};

// The tensors of a call, by leaf number. Leaves are counted through all arguments; dictionaries in
// key order.
class CallTensors {
 public:
  static constexpr size_t kMaxLeaves = 64;

  void clear() { num_leaves_ = 0; }
  const Tensor* operator[](size_t leaf) const { return leaves_[leaf]; }
  void skip() { ++num_leaves_; }
  // A tensor that the caller keeps alive during the call.
  void add(const Tensor& tensor) { leaves_[num_leaves_++] = &tensor; }
  // A tensor that may be dropped during the call.
  void add_copy(const Tensor& tensor);
  // An array converted to a tensor, once.
  const Tensor& converted(PyObject* array);

 private:
  const Tensor* leaves_[kMaxLeaves];
  size_t num_leaves_ = 0;
  std::forward_list<std::pair<PyObject*, Tensor>> made_;
};

class CallSignature {
 public:
  // False if an argument cannot be compared quickly and safely.
  bool describe(PyObject* const* args, size_t num_positional, PyObject* keywords);
  // Whether the arguments match; then `tensors` has their tensors.
  bool matches(PyObject* const* args, size_t num_positional, PyObject* keywords,
               CallTensors& tensors) const;
  size_t num_leaves() const { return num_leaves_; }
  // The description of that leaf; null if it is no tensor.
  const Argument* tensor(size_t leaf) const;

 private:
  bool describe(PyObject* value, Argument& argument);
  bool describe_items(PyObject* value, Argument& argument);

  std::vector<Argument> arguments_;  // positional arguments, then keyword arguments
  size_t num_positional_ = 0;
  Ref keywords_;  // their names: a tuple, or nothing
  size_t num_leaves_ = 0;
};

}  // namespace penstock::python
