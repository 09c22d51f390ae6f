#include "derivatives.h"

#include <set>

#include <penstock/ops/operators.h>

namespace penstock::op_check {

// The most exact dtype in its place.
static DType widened(DType dtype) {
  if (dtype == DType::kComplex64) return DType::kComplex128;
  return kRealFloatTypes.has(dtype) ? DType::kFloat64 : dtype;
}

Sample in_double(const OpDef& op, Sample sample) {
  const auto allows = [&](char type) {
    for (size_t i = 0; i < sample.inputs.size(); ++i) {
      const InputDef& def = op.input(i);
      if (def.type == type && !def.dtypes.has(widened(sample.inputs[i].dtype))) return false;
    }
    return true;
  };
  std::set<char> letters;
  for (size_t i = 0; i < sample.inputs.size(); ++i) letters.insert(op.input(i).type);
  for (char type : letters) {
    if (!allows(type)) continue;
    for (size_t i = 0; i < sample.inputs.size(); ++i) {
      if (op.input(i).type == type) sample.inputs[i].dtype = widened(sample.inputs[i].dtype);
    }
  }
  for (SampleAttr& attr : sample.attrs) {
    if (DType* dtype = std::get_if<DType>(&attr.value)) *dtype = widened(*dtype);
  }
  return sample;
}

complex128 value_at(const Tensor& tensor, int64_t i) {
  const auto at = static_cast<size_t>(i);
  if (tensor.dtype() == DType::kComplex128) return tensor.data<complex128>()[at];
  if (tensor.dtype() == DType::kComplex64) return complex128(tensor.data<complex64>()[at]);
  return tensor.number_at(i);
}

std::vector<Tensor> random_like(std::span<const Tensor> tensors, Random& random) {
  std::vector<Tensor> weights;
  for (const Tensor& tensor : tensors)
    weights.push_back(make_tensor({tensor.dtype(), tensor.shape(), -1, 1}, random));
  return weights;
}

double weighted_sum(std::span<const Tensor> tensors, std::span<const Tensor> weights) {
  double sum = 0;
  for (size_t k = 0; k < tensors.size(); ++k) {
    for (int64_t i = 0; i < tensors[k].num_elements(); ++i) {
      sum += (std::conj(value_at(weights[k], i)) * value_at(tensors[k], i)).real();
    }
  }
  return sum;
}

std::vector<Tensor> differentiable(std::span<const Tensor> tensors) {
  std::vector<Tensor> found;
  for (const Tensor& tensor : tensors) {
    if (is_differentiable(tensor.dtype())) found.push_back(tensor);
  }
  return found;
}

std::vector<Source> sources_of(const Call& call, std::span<const Tensor> inputs) {
  std::vector<Source> sources;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (is_differentiable(inputs[i].dtype()) && !call.op.def->input(i).host)
      sources.emplace_back(inputs[i]);
  }
  return sources;
}

Tensors run_hermitian(const Call& call, std::vector<Tensor> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!call.sample.inputs[i].hermitian) continue;
    std::vector<int64_t> swapped;
    for (int axis = 0; axis < inputs[i].rank(); ++axis) swapped.push_back(axis);
    std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
    const Tensor other = transpose(inputs[i], swapped);
    const bool is_complex = kComplexTypes.has(other.dtype());
    inputs[i] = (inputs[i] + (is_complex ? conj(other) : other)) * 0.5;
  }
  return call.run(inputs);
}

}  // namespace penstock::op_check
