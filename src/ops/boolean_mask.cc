// BooleanMask: the slices where a mask is true.
#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

#include "kernels/move.h"

namespace penstock {
namespace {

// The masked axes are merged into one, from which the elements at true positions are gathered.
Tensors compose(const ComposeContext& ctx) {
  const Tensor& tensor = ctx.tensor(0);
  const Tensor& mask = ctx.tensor(1);
  if (mask.rank() == 0) ctx.fail("mask cannot be scalar.");
  const int axis = ctx.axis(ctx.attr(0).as_int(), tensor.rank());
  Shape masked;
  for (int i = 0; i < mask.rank() && axis + i < tensor.rank(); ++i) {
    masked.append(tensor.shape()[axis + i]);
  }
  if (masked != mask.shape()) {
    ctx.fail("Shapes ", masked, " and ", mask.shape(),
             " are incompatible: the mask must have the "
             "shape of the axes that it covers");
  }
  Shape flat;
  for (int i = 0; i < axis; ++i) flat.append(tensor.shape()[i]);
  flat.append(mask.num_elements());
  for (int i = axis + mask.rank(); i < tensor.rank(); ++i) flat.append(tensor.shape()[i]);
  const Tensor where = where_nonzero(reshape(mask, shape_tensor(Shape{mask.num_elements()})));
  return {gather(reshape(tensor, shape_tensor(flat)), squeeze(where, {1}), axis)};
}

std::vector<Sample> samples() {
  const SampleInput three = given(DType::kBool, {3}, {1, 0, 1});
  return {
      {{f32({3}), three}},
      {{f32({3, 2}), three}},
      {{f32({2, 3}), given(DType::kBool, {2, 3}, {1, 0, 1, 0, 0, 1})}},
      {{f32({2, 3, 2}), three}, {{"axis", 1}}},
      {{f32({2, 3}), three}, {{"axis", -1}}},
      {{f32({3}), given(DType::kBool, {3}, {0, 0, 0})}},
      {{f32({0, 2}), of(DType::kBool, {0})}},
      {{of(DType::kFloat16, {3}), three}},
      {{of(DType::kFloat64, {3, 1}), three}},
      {{of(DType::kInt64, {3}), three}},
      {{of(DType::kUInt8, {3}), three}},
      {{of(DType::kBool, {3}), three}},
      {{of(DType::kComplex64, {3}), three}},
      {{of(DType::kString, {3}), three}},
      {{f32({4096, 64}), of(DType::kBool, {4096})}, {}, 0, true, true},
  };
}

}  // namespace

PEN_OP_DEF(boolean_mask) = {
    .name = "BooleanMask",
    .doc = "The slices of `tensor` where `mask`, laid over its axes from `axis` on, is true.",
    .inputs = {in("tensor", kAnyType), in("mask", DType::kBool, 'M')},
    .attrs = {int_attr("axis", 0)},
    .infer = composed,
    .compose = compose,
    .grad = composed_gradient,
    .samples = samples,
    .graph_name = {"boolean_mask", "GatherV2"},
};

}  // namespace penstock
