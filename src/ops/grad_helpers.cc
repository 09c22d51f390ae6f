#include <penstock/ops/grad_helpers.h>

namespace penstock {

Tensor sum_to_like(Tensor dy, const Tensor& x) {
  if (dy.shape() == x.shape()) return dy;
  return sum_to(dy, shape_tensor(x));
}

Tensor shape_tensor(const Tensor& x) { return shape_tensor(x.shape()); }
Tensor shape_tensor(const Shape& shape) { return int_tensor(shape.dims()); }
Tensor int_tensor(std::span<const int64_t> values) {
  return Tensor::from<int64_t>(values, Shape{static_cast<int64_t>(values.size())});
}

Tensor zeros(DType dtype, const Shape& shape) {
  return fill(shape_tensor(shape), Tensor::scalar(dtype, 0));
}
Tensor ones(DType dtype, const Shape& shape) {
  return fill(shape_tensor(shape), Tensor::scalar(dtype, 1));
}
Tensor zeros_like(const Tensor& x) { return zeros(x.dtype(), x.shape()); }
Tensor ones_like(const Tensor& x) { return ones(x.dtype(), x.shape()); }
Tensor scalar_like(const Tensor& x, double value) { return Tensor::scalar(x.dtype(), value); }

}  // namespace penstock
