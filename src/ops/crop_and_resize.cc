// CropAndResize: boxes cut out of images and brought to one size, and its gradients.
#include "kernels/crop.h"

#include <algorithm>

#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/indices.h"

namespace penstock {
namespace {

constexpr DTypeSet kImageTypes = kRealTypes - DType::kUInt32 - DType::kUInt64;
constexpr DTypeSet kWideTypes = DTypeSet(DType::kFloat32) | DType::kFloat64;

// Inputs `boxes` and the one after it: [n, 4] and [n].
void check_boxes(const InferContext& ctx, size_t boxes) {
  ctx.check_rank(boxes, 2);
  ctx.check_rank(boxes + 1, 1);
  const Shape &shape = ctx.shape(boxes), &indices = ctx.shape(boxes + 1);
  if (!shape.is_known() || !indices.is_known()) return;
  if (shape[1] != 4) ctx.fail("boxes must have 4 columns, but their shape is ", shape);
  if (shape[0] != indices[0])
    ctx.fail("boxes and box_index have incompatible shapes ", shape, " and ", indices);
}
void check_image(const InferContext& ctx, const Shape& image) {
  if (image.rank() != 4) ctx.fail("input image must be 4-D, but its shape is ", image);
  if (image[1] <= 0 || image[2] <= 0)
    ctx.fail("image dimensions must be positive, but the shape is ", image);
}
void check_method(const InferContext& ctx, const Attr& method) {
  if (method.as_string() != "bilinear" && method.as_string() != "nearest")
    ctx.fail("method must be 'bilinear' or 'nearest', not '", method, "'");
}
void check_grads(const InferContext& ctx, size_t boxes, const Shape& image) {
  const Shape& grads = ctx.shape(0);
  ctx.check_rank(0, 4);
  if (!grads.is_known() || !image.is_known() || !ctx.shape(boxes).is_known()) return;
  if (grads[0] != ctx.shape(boxes)[0] || grads[3] != image[3] || grads[1] <= 0 || grads[2] <= 0) {
    ctx.fail("grads of shape ", grads, " do not belong to ", ctx.shape(boxes)[0],
             " boxes of images of shape ", image);
  }
}

kernels::Crop describe(const Shape& image, const Shape& crops, bool nearest) {
  return {image[0], image[1], image[2], image[3], crops[0], crops[1], crops[2], nearest};
}

KernelResult check_indices(const View& box_ind, int64_t batch) {
  const auto bad = kernels::find_bad_index(box_ind, 0, batch);
  if (bad.at < 0) return KernelResult::ok();
  return KernelResult::invalid("box_index[{}] = {} is not in [0, {})", bad.at, bad.value,
                               bad.limit);
}

void infer(InferContext& ctx) {
  check_boxes(ctx, 1);
  check_method(ctx, ctx.attr(0));
  ctx.check_rank(3, 1);
  bool known = false;
  const IntVector size = ctx.ints(3, &known);
  if (known && size.size() != 2) ctx.fail("crop_size must have two elements, not ", size.size());
  if (known && (size[0] <= 0 || size[1] <= 0))
    ctx.fail("crop dimensions must be positive, but are ", size[0], " and ", size[1]);
  const Shape& image = ctx.shape(0);
  if (!known || !image.is_known() || !ctx.shape(1).is_known())
    return ctx.add_output(DType::kFloat32, Shape::unknown_rank());
  check_image(ctx, image);
  ctx.add_output(DType::kFloat32, Shape{ctx.shape(1)[0], size[0], size[1], image[3]});
}

KernelResult cpu(const KernelContext& ctx) {
  const View &image = ctx.inputs[0], &box_ind = ctx.inputs[2], &out = ctx.outputs[0];
  if (const auto result = check_indices(box_ind, image.shape[0]); result.problem != nullptr)
    return result;
  if (out.size() == 0) return KernelResult::ok();
  kernels::Crop c = describe(image.shape, out.shape, ctx.attrs[0].as_string() == "nearest");
  c.extrapolation_value = static_cast<float>(ctx.attrs[1].as_float());
  kernels::crop_and_resize(c, image, ctx.inputs[1].as<float>(), box_ind.as<int32_t>(),
                           out.as<float>());
  return KernelResult::ok();
}

Gradients grad(const GradContext& g) {
  Gradients gradients = {{}, {}, {}, {}};
  const Tensor &image = g.input(0), &boxes = g.input(1), &box_ind = g.input(2);
  const bool is_bilinear = g.attr(0).as_string() == "bilinear";
  const DType dtype = image.dtype();
  if (g.needs(0) && is_differentiable(dtype)) {
    const DType wide = kHalfTypes.has(dtype) ? DType::kFloat32 : dtype;
    const Tensor dx = crop_and_resize_grad_image(g.dy(), boxes, box_ind, shape_tensor(image), wide,
                                                 g.attr(0).as_string());
    gradients[0] = wide == dtype ? dx : cast(dx, dtype);
  }
  if (g.needs(1) && is_bilinear)
    gradients[1] = crop_and_resize_grad_boxes(g.dy(), image, boxes, box_ind);
  return gradients;
}

void infer_grad_image(InferContext& ctx) {
  check_boxes(ctx, 1);
  check_method(ctx, ctx.attr(1));
  const DType dtype = ctx.attr(0).as_dtype();
  if (!kWideTypes.has(dtype)) ctx.fail_type("there is no gradient of dtype ", dtype);
  const Shape image = ctx.shape_value(3);
  if (image.is_known()) check_image(ctx, image);
  check_grads(ctx, 1, image);
  ctx.add_output(dtype, image);
}

KernelResult cpu_grad_image(const KernelContext& ctx) {
  const View &grads = ctx.inputs[0], &box_ind = ctx.inputs[2], &out = ctx.outputs[0];
  if (const auto result = check_indices(box_ind, out.shape[0]); result.problem != nullptr)
    return result;
  if (out.size() == 0) return KernelResult::ok();
  kernels::crop_grad_image(describe(out.shape, grads.shape, ctx.attrs[1].as_string() == "nearest"),
                           grads.as<float>(), ctx.inputs[1].as<float>(), box_ind.as<int32_t>(),
                           out);
  return KernelResult::ok();
}

void infer_grad_boxes(InferContext& ctx) {
  check_boxes(ctx, 2);
  if (ctx.attr(0).as_string() != "bilinear")
    ctx.fail("method must be 'bilinear', not '", ctx.attr(0), "'");
  if (ctx.shape(1).is_known()) check_image(ctx, ctx.shape(1));
  check_grads(ctx, 2, ctx.shape(1));
  ctx.add_output(DType::kFloat32, ctx.shape(2));
}

KernelResult cpu_grad_boxes(const KernelContext& ctx) {
  const View &grads = ctx.inputs[0], &image = ctx.inputs[1], &box_ind = ctx.inputs[3];
  const View& out = ctx.outputs[0];
  if (const auto result = check_indices(box_ind, image.shape[0]); result.problem != nullptr)
    return result;
  std::fill_n(out.as<float>(), out.size(), 0.0f);
  if (grads.size() == 0) return KernelResult::ok();
  kernels::crop_grad_boxes(describe(image.shape, grads.shape, false), grads.as<float>(), image,
                           ctx.inputs[2].as<float>(), box_ind.as<int32_t>(), out.as<float>());
  return KernelResult::ok();
}

SampleInput two_boxes() {
  return given(DType::kFloat32, {2, 4}, {0.02, 0.03, 0.9, 0.93, 0.2, 0.1, 1.2, 0.5});
}
std::vector<Sample> samples() {
  using enum DType;
  const auto call = [](DType dtype, std::vector<double> size) {
    return std::vector<SampleInput>{of(dtype, {2, 3, 4, 2}, 0, 5), two_boxes(), ints({1, 0}),
                                    ints(std::move(size))};
  };
  return {
      {call(kFloat32, {2, 3})},
      {call(kFloat32, {2, 3}), {{"method", "nearest"}, {"extrapolation_value", 9.0}}, 0, false},
      {call(kFloat32, {1, 3})},
      {call(kFloat64, {2, 2}), {{"extrapolation_value", 1.0}}},
      {call(kBFloat16, {2, 2})},
      {call(kUInt8, {2, 2}), {}, 0, false},
      {call(kInt32, {2, 2}), {}, 0, false},
      {{f32({2, 3, 4, 2}), f32({0, 4}), i32({0}), ints({2, 2})}},
      {.inputs = {f32({8, 56, 56, 64}), f32({64, 4}, 0, 1), i32({64}, 0, 8), ints({14, 14})},
       .for_speed = true},
  };
}
std::vector<Sample> samples_grad_image() {
  using enum DType;
  return {
      {{f32({2, 2, 3, 2}), two_boxes(), ints({1, 0}), ints({2, 3, 4, 2})}, {{"T", kFloat32}}},
      {{f32({2, 1, 3, 2}), two_boxes(), ints({1, 0}), ints({2, 3, 4, 2})},
       {{"T", kFloat64}, {"method", "nearest"}}},
      {{f32({0, 1, 3, 2}), f32({0, 4}), i32({0}), ints({2, 3, 4, 2})}, {{"T", kFloat32}}},
  };
}
std::vector<Sample> samples_grad_boxes() {
  using enum DType;
  return {
      {{f32({2, 2, 3, 2}), f32({2, 3, 4, 2}), two_boxes(), ints({1, 0})}, {}, 1e-3},
      {{f32({2, 1, 3, 2}), of(kUInt8, {2, 3, 4, 2}, 0, 9), two_boxes(), ints({1, 0})}, {}, 1e-3},
      {{f32({0, 1, 3, 2}), f32({2, 3, 4, 2}), f32({0, 4}), i32({0})}},
  };
}

}  // namespace

PEN_OP_DEF(crop_and_resize) = {
    .name = "CropAndResize",
    .doc = "Boxes (y1, x1, y2, x2, as shares of the image) cut out of images, all in one size.",
    .inputs = {in("image", kImageTypes), in("boxes", DType::kFloat32, 'B'),
               in("box_ind", DType::kInt32, 'I'), host("crop_size", DType::kInt32)},
    .attrs = {string_attr("method", "bilinear"), float_attr("extrapolation_value", 0.0)},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .saves = {.inputs = 0b111},
    .samples = samples,
};

PEN_OP_DEF(crop_and_resize_grad_image) = {
    .name = "CropAndResizeGradImage",
    .doc = "The gradient of CropAndResize for its images.",
    .inputs = {in("grads", DType::kFloat32, 'B'), in("boxes", DType::kFloat32, 'B'),
               in("box_ind", DType::kInt32, 'I'), host("image_size", kIndexTypes)},
    .attrs = {dtype_attr("T"), string_attr("method", "bilinear")},
    .infer = infer_grad_image,
    .cpu = cpu_grad_image,
    .grad = no_gradient,
    .samples = samples_grad_image,
};

PEN_OP_DEF(crop_and_resize_grad_boxes) = {
    .name = "CropAndResizeGradBoxes",
    .doc = "The gradient of bilinear CropAndResize for its boxes.",
    .inputs = {in("grads", DType::kFloat32, 'B'), in("image", kImageTypes),
               in("boxes", DType::kFloat32, 'B'), in("box_ind", DType::kInt32, 'I')},
    .attrs = {string_attr("method", "bilinear")},
    .infer = infer_grad_boxes,
    .cpu = cpu_grad_boxes,
    .grad = missing_gradient,
    .samples = samples_grad_boxes,
};

}  // namespace penstock
