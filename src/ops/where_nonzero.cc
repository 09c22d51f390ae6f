// Where with one argument: the positions at which a tensor is true.
#include <penstock/ops/context.h>
#include <penstock/ops/sample.h>

#include "kernels/nonzero.h"

namespace penstock {
namespace {

void infer(InferContext& ctx) {
  const Shape& shape = ctx.shape(0);
  const int64_t most = shape.is_known() ? shape.num_elements() : kUnknownDim;
  ctx.add_bounded_output(DType::kInt64, Shape{most, shape.has_rank() ? shape.rank() : kUnknownDim});
}

KernelResult cpu(const KernelContext& ctx) {
  const View& in = ctx.inputs[0];
  const int64_t found = kernels::find_nonzero(in, ctx.outputs[0].as<int64_t>());
  ctx.outputs[0].shape = Shape{found, in.shape.rank()};
  return KernelResult::ok();
}

std::vector<Sample> samples() {
  return {
      {{of(DType::kBool, {2, 3})}},
      {{of(DType::kBool, {5})}},
      {{given(DType::kBool, {}, {1})}},
      {{given(DType::kBool, {}, {0})}},
      {{of(DType::kBool, {0, 2})}},
      {{i32({2, 3, 2}, -1, 2)}},
      {{of(DType::kInt64, {6}, -1, 2)}},
      {{of(DType::kUInt8, {6}, 0, 2)}},
      {{of(DType::kInt16, {6}, -1, 2)}},
      {{given(DType::kFloat32, {2, 2}, {0, -0.0, 1.5, -2})}},
      {{given(DType::kFloat64, {4}, {0, -0.0, 1.5, -2})}},
      {{given(DType::kFloat16, {4}, {0, -0.0, 1.5, -2})}},
      {{given(DType::kBFloat16, {4}, {0, -0.0, 1.5, -2})}},
      {{given(DType::kComplex64, {3}, {0, 1, 2})}},
      {{given(DType::kComplex128, {3}, {0, 1, 2})}},
      {{of(DType::kBool, {512, 512})}, {}, 0, true, true},
  };
}

}  // namespace

PEN_OP_DEF(where_nonzero) = {
    .name = "Where",
    .doc = "The coordinates of the elements that are true or not zero, a row each.",
    .inputs = {in("input", kFixedTypes)},
    .traits = {Trait::kDynamicShape},
    .infer = infer,
    .cpu = cpu,
    .grad = no_gradient,
    .samples = samples,
};

}  // namespace penstock
