// Helpers shared by stateful and stateless draws.
#pragma once

#include <penstock/ops/context.h>
#include <penstock/tensor/tensor.h>

#include "kernels/philox.h"

namespace penstock::random_draws {

// The dtypes of rates and of Poisson and binomial samples.
inline constexpr DTypeSet kDrawTypes =
    kIndexTypes | DType::kFloat16 | DType::kFloat32 | DType::kFloat64;

// For logits and a number of samples as inputs 0 and 1.
void infer_categorical(InferContext& ctx, const Attr& dtype);

// The gradient of gamma draws by alpha at fixed quantiles (implicit reparameterisation: Figurnov et
// al., 2018). Finite differences of the draws jump, so they can check only samples without draws.
Tensor gamma_gradient(const Tensor& dy, const Tensor& alpha, const Tensor& draws);

void infer_shuffle(InferContext& ctx);
// Rows of `in` in random order; `scratch` is what infer_shuffle requested.
void shuffle(const kernels::PhiloxStream& stream, const View& in, const View& out, void* scratch);

}  // namespace penstock::random_draws
