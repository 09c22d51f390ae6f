// What the checks of derivatives share: samples in double precision, random weights, weighted sums.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include <penstock/autodiff/tape.h>

#include "call.h"

namespace penstock::op_check {

// The sample with its floating inputs in double precision, where the op allows it.
Sample in_double(const OpDef& op, Sample sample);
complex128 value_at(const Tensor& tensor, int64_t i);
std::vector<Tensor> random_like(std::span<const Tensor> tensors, Random& random);
// The sum of Re(conj(w) * y).
double weighted_sum(std::span<const Tensor> tensors, std::span<const Tensor> weights);
std::vector<Tensor> differentiable(std::span<const Tensor> tensors);
// The inputs that have gradients.
std::vector<Source> sources_of(const Call& call, std::span<const Tensor> inputs);
// The call's result. An op that reads only one half of a Hermitian matrix still has the gradient of
// the whole: so what it is given is the Hermitian part of the input that is changed.
Tensors run_hermitian(const Call& call, std::vector<Tensor> inputs);

}  // namespace penstock::op_check
