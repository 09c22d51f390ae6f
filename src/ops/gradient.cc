#include <penstock/ops/gradient.h>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/ops/grad_helpers.h>

namespace penstock {

Gradient Gradient::sparse(Tensor values, Tensor indices, const Shape& dense_shape) {
  Gradient gradient(std::move(values));
  gradient.indices_ = std::move(indices);
  gradient.dense_shape_ = dense_shape;
  return gradient;
}

Tensor Gradient::dense() const {
  if (!is_sparse()) return values_;
  const Tensor rows = reshape(indices_, shape_tensor(Shape{indices_.num_elements(), 1}));
  return tensor_scatter_add(zeros(values_.dtype(), dense_shape_), rows, values_);
}

Gradient Gradient::with_unique_rows() const {
  const auto [rows, positions] = unique(indices_);
  const Tensor count(static_cast<int32_t>(rows.num_elements()));
  return sparse(unsorted_segment_sum(values_, positions, count), rows, dense_shape_);
}

void Gradient::add(const Gradient& other) {
  if (is_sparse() && other.is_sparse()) {
    values_ = concat(std::array{values_, other.values_}, 0);
    indices_ = concat(std::array{indices_, other.indices_}, 0);
    return;
  }
  if (is_sparse()) *this = Gradient(dense());
  values_ = penstock::add(std::move(values_), other.dense());
}

Tensor GradContext::dy(size_t i) const {
  return dys_[i].defined() ? dys_[i].dense() : zeros_like(outputs_[i]);
}

Gradients missing_gradient(const GradContext& g) {
  throw MissingGradientError(cat("gradient registry has no entry for: ", g.op().name.value));
}

}  // namespace penstock
