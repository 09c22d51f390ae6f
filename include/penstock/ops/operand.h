// Operand: a tensor argument of an op function, by reference or donated (an rvalue). The op may
// write its result into a donated one. IntList: a list of numbers as an argument.
#pragma once

#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include <penstock/core/shape.h>
#include <penstock/tensor/tensor.h>

namespace penstock {

class Operand {
 public:
  Operand(const Tensor& tensor) : tensor_(&tensor), donated_(false) {}
  Operand(Tensor&& tensor) : tensor_(&tensor), donated_(true) {}
  // An operand that owns its tensor.
  static Operand owning(Tensor tensor) { return Operand(std::move(tensor), 0); }

  const Tensor& tensor() const { return tensor_ != nullptr ? *tensor_ : own_; }
  bool is_donated() const { return donated_; }

 private:
  Operand(Tensor&& tensor, int) : tensor_(nullptr), donated_(false), own_(std::move(tensor)) {}
  const Tensor* tensor_;
  bool donated_;
  Tensor own_;
};

class IntList {
 public:
  IntList() = default;
  IntList(std::initializer_list<int64_t> values) : values_(values.begin(), values.size()) {}
  IntList(std::span<const int64_t> values) : values_(values) {}
  IntList(const std::vector<int64_t>& values) : values_(values) {}
  IntList(const Shape& shape) : values_(shape.dims()) {}
  static IntList not_given() { return std::span<const int64_t>(kNotGiven); }
  static IntList every_axis() { return not_given(); }
  std::span<const int64_t> span() const { return values_; }

 private:
  std::span<const int64_t> values_;
};

}  // namespace penstock
