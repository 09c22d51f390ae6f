// Bitcast: the same bytes as elements of another dtype.
#include <penstock/ops/context.h>
#include <penstock/ops/sample.h>

#include <cstring>

namespace penstock {
namespace {

constexpr DTypeSet kTypes = kNumberTypes;

// Elements of another size make or take a last axis.
Shape shape_as(const InferContext& ctx, int64_t from, int64_t to) {
  Shape shape = ctx.shape(0);
  if (!shape.has_rank() || from == to) return shape;
  if (from > to) {
    if (shape.rank() == kMaxRank)
      ctx.fail("a shape of rank ", kMaxRank, " has no room for an axis");
    shape.append(from / to);
    return shape;
  }
  const int64_t last = shape.rank() == 0 ? 0 : shape[shape.rank() - 1];
  if (shape.rank() == 0 || (last >= 0 && last != to / from)) {
    ctx.fail("Cannot bitcast from ", ctx.dtype(0), " to ", ctx.attr(0).as_dtype(),
             ": the last axis of shape ", shape, " must be ", to / from);
  }
  shape.remove(shape.rank() - 1);
  return shape;
}

void infer(InferContext& ctx) {
  const DType type = ctx.attr(0).as_dtype();
  if (!kTypes.has(type)) ctx.fail_type("cannot bitcast to ", type);
  if (type == ctx.dtype(0)) return ctx.share_output(ctx.shape(0));
  ctx.add_output(type, shape_as(ctx, static_cast<int64_t>(dtype_size(ctx.dtype(0))),
                                static_cast<int64_t>(dtype_size(type))));
}

KernelResult cpu(const KernelContext& ctx) {
  const View& out = ctx.outputs[0];
  const auto bytes = static_cast<size_t>(out.shape.num_bytes(dtype_size(out.dtype)));
  if (bytes > 0) std::memcpy(out.data, ctx.inputs[0].data, bytes);
  return KernelResult::ok();
}

std::vector<Sample> samples() {
  return {
      {{f32({2, 3})}, {{"type", DType::kInt32}}},
      {{f32({2, 3})}, {{"type", DType::kUInt8}}},
      {{f32({2, 3})}, {{"type", DType::kFloat32}}},
      {{of(DType::kUInt8, {2, 4}, 0, 255)}, {{"type", DType::kUInt32}}},
      {{of(DType::kInt16, {3, 4}, -99, 99)}, {{"type", DType::kInt64}}},
      {{of(DType::kComplex64, {3})}, {{"type", DType::kFloat32}}},
      {{f32({3, 2})}, {{"type", DType::kComplex64}}},
      {{of(DType::kFloat64, {})}, {{"type", DType::kUInt16}}},
      {{of(DType::kFloat16, {3})}, {{"type", DType::kInt16}}},
      {{f32({0, 2})}, {{"type", DType::kInt64}}},
      {.inputs = {f32({1 << 20})}, .attrs = {{"type", DType::kInt32}}, .for_speed = true},
  };
}

}  // namespace

PEN_OP_DEF(bitcast) = {
    .name = "Bitcast",
    .doc = "The bytes of the input as elements of another dtype.",
    .inputs = {in("input", kTypes)},
    .attrs = {dtype_attr("type")},
    .infer = infer,
    .cpu = cpu,
    .grad = missing_gradient,
    .samples = samples,
};

}  // namespace penstock
