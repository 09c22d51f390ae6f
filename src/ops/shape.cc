// Shape, Size: a tensor's dimensions, and the number of its elements, as tensors.
#include <cstdint>

#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

namespace penstock {
namespace {

// Rejects numbers that the wanted dtype cannot hold.
DType checked_type(const InferContext& ctx, int64_t largest) {
  const DType dtype = ctx.attr(0).as_dtype();
  if (!kIndexTypes.has(dtype)) ctx.fail_type("out_type must be int32 or int64, but is ", dtype);
  if (dtype == DType::kInt32 && largest > INT32_MAX) {
    ctx.fail(largest, " does not fit into int32: give out_type int64");
  }
  return dtype;
}

void put(const View& out, int i, int64_t value) {
  if (out.dtype == DType::kInt32) {
    out.as<int32_t>()[i] = static_cast<int32_t>(value);
  } else {
    out.as<int64_t>()[i] = value;
  }
}

void infer_shape(InferContext& ctx) {
  const Shape& shape = ctx.shape(0);
  if (!shape.has_rank()) {
    return ctx.add_output(checked_type(ctx, 0), Shape{kUnknownDim});
  }
  int64_t largest = 0;
  for (int64_t dim : shape) largest = dim > largest ? dim : largest;
  ctx.add_output(checked_type(ctx, largest), Shape{shape.rank()});
}

KernelResult cpu_shape(const KernelContext& ctx) {
  const Shape& shape = ctx.inputs[0].shape;
  for (int i = 0; i < shape.rank(); ++i) put(ctx.outputs[0], i, shape[i]);
  return KernelResult::ok();
}

void infer_size(InferContext& ctx) {
  const Shape& shape = ctx.shape(0);
  ctx.add_output(checked_type(ctx, shape.is_known() ? shape.num_elements() : 0), Shape{});
}

KernelResult cpu_size(const KernelContext& ctx) {
  put(ctx.outputs[0], 0, ctx.inputs[0].size());
  return KernelResult::ok();
}

std::vector<Sample> samples() {
  return {
      {{f32({2, 3})}},
      {{f32({})}},
      {{of(DType::kString, {0, 4})}, {{"out_type", DType::kInt64}}},
      {{of(DType::kBool, {3})}},
      {{of(DType::kFloat16, {1, 2, 1})}},
      {{of(DType::kComplex128, {2})}},
  };
}

}  // namespace

PEN_OP_DEF(shape) = {
    .name = "Shape",
    .doc = "The dimensions of a tensor.",
    .inputs = {in("input", kAnyType)},
    .attrs = {dtype_attr("out_type", DType::kInt32)},
    .traits = {Trait::kShapeOnly, Trait::kCannotFail},
    .infer = infer_shape,
    .cpu = cpu_shape,
    .grad = no_gradient,
    .samples = samples,
};

PEN_OP_DEF(size) = {
    .name = "Size",
    .doc = "The number of a tensor's elements.",
    .inputs = {in("input", kAnyType)},
    .attrs = {dtype_attr("out_type", DType::kInt32)},
    .traits = {Trait::kShapeOnly},
    .infer = infer_size,
    .cpu = cpu_size,
    .grad = no_gradient,
    .samples = samples,
};

}  // namespace penstock
