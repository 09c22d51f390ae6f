// CallSignature: what the arguments of a call were, so that a later call can be told to be the same
// one: tensors (and arrays) of the same dtype and shape, the same variables and objects, numbers
// and texts of the same type and value, and lists, tuples and dictionaries of these.
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
  // The value of a literal; a weak reference to an object; a dictionary's keys, sorted.
  Ref object;
  std::vector<Argument> items;  // of a list, a tuple or a dictionary
};

// The tensors of a call, by the number of their leaf. Leaves are counted through all arguments, of
// dictionaries in the order of their keys.
class CallTensors {
 public:
  static constexpr size_t kMaxLeaves = 64;

  void clear() { num_leaves_ = 0; }
  const Tensor* operator[](size_t leaf) const { return leaves_[leaf]; }
  void skip() { ++num_leaves_; }
  // A tensor that the caller keeps until the call is over.
  void add(const Tensor& tensor) { leaves_[num_leaves_++] = &tensor; }
  // One that is somebody's to drop meanwhile.
  void add_copy(const Tensor& tensor);
  // An array as a tensor, made once.
  const Tensor& converted(PyObject* array);

 private:
  const Tensor* leaves_[kMaxLeaves];
  size_t num_leaves_ = 0;
  std::forward_list<std::pair<PyObject*, Tensor>> made_;
};

class CallSignature {
 public:
  // False where an argument is of a kind that cannot be compared quickly and surely.
  bool describe(PyObject* const* args, size_t num_positional, PyObject* keywords);
  // Whether arguments are such; then `tensors` has theirs.
  bool matches(PyObject* const* args, size_t num_positional, PyObject* keywords,
               CallTensors& tensors) const;
  size_t num_leaves() const { return num_leaves_; }
  // The described leaf of that number; null when it is no tensor.
  const Argument* tensor(size_t leaf) const;

 private:
  bool describe(PyObject* value, Argument& made);
  bool describe_items(PyObject* value, Argument& made);

  std::vector<Argument> arguments_;  // positional ones, then those by keyword
  size_t num_positional_ = 0;
  Ref keywords_;  // their names: a tuple, or nothing
  size_t num_leaves_ = 0;
};

}  // namespace penstock::python
