#include "ops/elementwise.h"

#include <algorithm>
#include <cstring>

namespace penstock::elementwise {

Shape broadcast(const InferContext& ctx, const Shape& x, const Shape& y) {
  Shape out;
  if (!broadcast_shapes(x, y, &out)) ctx.fail("Incompatible shapes: ", x, " vs. ", y);
  return out;
}

void infer_unary(InferContext& ctx) { ctx.add_output(ctx.dtype(0), ctx.shape(0)); }

void infer_binary(InferContext& ctx) {
  ctx.add_output(ctx.dtype(0), broadcast(ctx, ctx.shape(0), ctx.shape(1)));
}

void infer_comparison(InferContext& ctx) {
  ctx.add_output(DType::kBool, broadcast(ctx, ctx.shape(0), ctx.shape(1)));
}

void infer_same_shape(InferContext& ctx) {
  if (ctx.shape(0).is_known() && ctx.shape(1).is_known() && ctx.shape(0) != ctx.shape(1)) {
    ctx.fail(ctx.op().inputs[0].name, " and ", ctx.op().inputs[1].name,
             " must have the same shape: ", ctx.shape(0), " vs. ", ctx.shape(1));
  }
  ctx.add_output(ctx.dtype(0), ctx.shape(0));
}

void infer_test(InferContext& ctx) { ctx.add_output(DType::kBool, ctx.shape(0)); }

Parameter::Parameter(DType type, double value) : dtype(type) {
  const auto put = [this](auto element) { std::memcpy(storage, &element, sizeof(element)); };
  const auto single = static_cast<float>(value);
  if (type == DType::kFloat16) put(float16(single));
  if (type == DType::kBFloat16) put(bfloat16(single));
  if (type == DType::kFloat32) put(single);
  if (type == DType::kFloat64) put(value);
}

Tensor conjugate(const Tensor& x) { return kComplexTypes.has(x.dtype()) ? conj(x) : x; }

namespace {

SampleInput input(DType dtype, const Shape& shape, double low, double high) {
  const bool is_unsigned = kUnsignedTypes.has(dtype);
  const bool is_whole = kIntTypes.has(dtype);
  // Small whole numbers give little variety: widen them.
  if (is_whole && high == 2) high = 10;
  if (is_whole && low == -2) low = -10;
  return of(dtype, shape, is_unsigned ? std::max(low, 0.0) : low, high);
}

template <typename Add>
void for_each_dtype(DTypeSet dtypes, Add add) {
  for (int i = 1; i < kNumDTypes; ++i) {
    const DType dtype = static_cast<DType>(i);
    if (dtypes.has(dtype)) add(dtype);
  }
}

// The dtype that shapes are tried with.
DType usual(DTypeSet dtypes) {
  if (dtypes.has(DType::kFloat32)) return DType::kFloat32;
  return dtypes.has(DType::kInt32) ? DType::kInt32 : DType::kBool;
}

}  // namespace

std::vector<Sample> unary_samples(DTypeSet dtypes, double low, double high) {
  std::vector<Sample> samples;
  const DType main = usual(dtypes);
  for (const Shape& shape : {Shape{2, 3, 5}, Shape{}, Shape{0, 4}, Shape{37}}) {
    samples.push_back({{input(main, shape, low, high)}});
  }
  for_each_dtype(dtypes,
                 [&](DType dtype) { samples.push_back({{input(dtype, {3, 7}, low, high)}}); });
  samples.push_back({.inputs = {input(main, {1 << 20}, low, high)}, .for_speed = true});
  return samples;
}

std::vector<Sample> binary_samples(DTypeSet dtypes, double low, double high) {
  std::vector<Sample> samples;
  const DType main = usual(dtypes);
  const auto add = [&](DType dtype, const Shape& x, const Shape& y) {
    samples.push_back({{input(dtype, x, low, high), input(dtype, y, low, high)}});
  };
  add(main, {2, 3, 5}, {2, 3, 5});
  add(main, {2, 3, 5}, {5});
  add(main, {3, 1}, {2, 1, 4});
  add(main, {2, 1, 3, 1}, {1, 4, 1, 2});
  add(main, {}, {});
  add(main, {4, 5}, {});
  add(main, {}, {33});
  add(main, {0, 3}, {1, 3});
  add(main, {0}, {1});
  for_each_dtype(dtypes, [&](DType dtype) {
    add(dtype, {3, 7}, {3, 7});
    add(dtype, {3, 7}, {3, 1});
  });
  samples.push_back(
      {.inputs = {input(main, {1 << 20}, low, high), input(main, {1 << 20}, low, high)},
       .for_speed = true});
  return samples;
}

}  // namespace penstock::elementwise
