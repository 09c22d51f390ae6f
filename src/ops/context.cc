#include <penstock/ops/context.h>

#include <penstock/base/checked.h>

namespace penstock {

IntVector InferContext::ints(size_t i, bool* known) const {
  const View& view = inputs_[i];
  if (view.shape.rank() > 1) {
    fail("input '", op_.inputs[i].name, "' must have at most one dimension, but its shape is ",
         view.shape);
  }
  IntVector values;
  *known = view.data != nullptr;
  if (!*known) return values;
  const int64_t count = view.shape.num_elements();
  values.reserve(static_cast<size_t>(count));
  for (int64_t k = 0; k < count; ++k) {
    values.push_back(view.dtype == DType::kInt32 ? view.as<int32_t>()[k] : view.as<int64_t>()[k]);
  }
  return values;
}

Shape InferContext::shape_value(size_t i) const {
  bool known = false;
  const IntVector dims = ints(i, &known);
  if (!known) {
    const Shape& holder = shape(i);
    if (!holder.is_known() || holder.rank() == 0) return Shape::unknown_rank();
    Shape unknown;
    for (int64_t k = 0; k < holder[0]; ++k) unknown.append(kUnknownDim);
    return unknown;
  }
  for (int64_t dim : dims) {
    if (dim < 0) fail("a dimension cannot be negative, but '", op_.inputs[i].name, "' has ", dim);
  }
  return Shape(std::span<const int64_t>(dims));
}

int InferContext::axis(int64_t axis, int rank) const {
  if (axis < -rank || axis >= rank) {
    fail("axis ", axis, " is out of range for a tensor of rank ", rank, "; input shape ", shape(0));
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

uint32_t InferContext::axes(std::span<const int64_t> axes, int rank) const {
  if (is_every_axis(axes)) return (1u << rank) - 1;
  uint32_t bits = 0;
  for (int64_t a : axes) {
    const uint32_t bit = 1u << axis(a, rank);
    if ((bits & bit) != 0) fail("axis ", a, " is given twice");
    bits |= bit;
  }
  return bits;
}

void InferContext::check_rank(size_t i, int rank) const {
  if (shape(i).has_rank() && shape(i).rank() != rank) {
    fail("input '", op_.inputs[i].name, "' must have rank ", rank, ", but its shape is ", shape(i));
  }
}

void InferContext::set_scratch(int64_t count, int64_t element_size) {
  if (!checked_mul(count, element_size, &scratch_bytes_))
    fail_size("the size of its scratch memory");
}

}  // namespace penstock
