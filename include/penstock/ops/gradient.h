// Gradient: a dense tensor, rows of one (as from an embedding look-up), or nothing. GradContext:
// the argument of OpDef.grad.
#pragma once

#include <span>

#include <penstock/base/export.h>
#include <penstock/core/attr.h>
#include <penstock/ops/op_def.h>
#include <penstock/tensor/tensor.h>

namespace penstock {

class PEN_API Gradient {
 public:
  Gradient() = default;  // none
  Gradient(Tensor dense) : values_(std::move(dense)) {}
  // values[i] belongs to row indices[i] of a tensor of `dense_shape`; repeated rows add up.
  static Gradient sparse(Tensor values, Tensor indices, const Shape& dense_shape);

  bool defined() const { return values_.defined(); }
  bool is_sparse() const { return indices_.defined(); }
  const Tensor& values() const { return values_; }
  const Tensor& indices() const { return indices_; }
  const Shape& dense_shape() const { return is_sparse() ? dense_shape_ : values_.shape(); }
  // The dense tensor; a sparse gradient's rows are summed into it.
  Tensor dense() const;
  operator Tensor() const { return dense(); }

  // The same gradient with unique rows. Pre: is_sparse().
  Gradient with_unique_rows() const;

  // Adds `other` to this gradient, in place if nobody else holds the sum.
  void add(const Gradient& other);

 private:
  Tensor values_;
  Tensor indices_;
  Shape dense_shape_;
};

// function(gradient), or none for none. For a sparse gradient it is applied to the rows, so the
// function must be additive.
template <typename F>
Gradient with_values(const Gradient& gradient, F&& function) {
  if (!gradient.defined()) return {};
  if (!gradient.is_sparse()) return function(gradient.values());
  return Gradient::sparse(function(gradient.values()), gradient.indices(), gradient.dense_shape());
}

// One recorded call while its gradient is computed. Inputs and outputs that the OpDef does not save
// have no data, only dtype and shape.
class PEN_API GradContext {
 public:
  GradContext(const OpDef& op, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
              Attrs attrs, std::span<const Gradient> dys, uint64_t needed)
      : op_(op), inputs_(inputs), outputs_(outputs), attrs_(attrs), dys_(dys), needed_(needed) {}

  const OpDef& op() const { return op_; }
  size_t num_inputs() const { return inputs_.size(); }
  size_t num_outputs() const { return outputs_.size(); }
  const Tensor& input(size_t i) const { return inputs_[i]; }
  const Tensor& output(size_t i = 0) const { return outputs_[i]; }
  const Attr& attr(size_t i) const { return attrs_[i]; }
  Attrs attrs() const { return attrs_; }
  // The gradient that arrives at output `i`: dense; zeros if none arrives.
  Tensor dy(size_t i = 0) const;
  // As it arrived: may be sparse or none.
  const Gradient& raw_dy(size_t i = 0) const { return dys_[i]; }
  // Whether the gradient of input `i` is needed; skip it if not.
  bool needs(size_t i) const { return i >= 64 || ((needed_ >> i) & 1) != 0; }

 private:
  const OpDef& op_;
  std::span<const Tensor> inputs_;
  std::span<const Tensor> outputs_;
  Attrs attrs_;
  std::span<const Gradient> dys_;
  uint64_t needed_;
};

}  // namespace penstock
