// ResizeNearestNeighbor, ResizeBilinear, ResizeBicubic and ResizeArea, with their gradients.
//
// The gradients read only the shape of the original image, so that a tape need not keep it:
// ResizeGrad takes its size. TensorFlow's own gradient ops, which take the image, are composed of
// it.
#include "kernels/resize.h"

#include <penstock/base/checked.h>
#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

namespace penstock {
namespace {

using kernels::Resampling;

constexpr DTypeSet kImageTypes = kRealTypes - DType::kUInt32 - DType::kUInt64;

// Images of shape `images` in another size.
kernels::Resize resize_of(Resampling method, const Shape& images, int64_t height, int64_t width,
                          bool align_corners, bool half_pixel_centers) {
  return {method,    align_corners,       half_pixel_centers, images[0],
          images[3], {images[1], height}, {images[2], width}};
}

void check_images(const InferContext& ctx, const Shape& images) {
  if (images[1] <= 0 || images[2] <= 0)
    ctx.fail("input image must be of non-zero size, but its shape is ", images);
  if (images[3] <= 0) ctx.fail("image must have at least one channel, but its shape is ", images);
}
void check_centers(const InferContext& ctx, bool align_corners, bool half_pixel_centers) {
  if (align_corners && half_pixel_centers)
    ctx.fail("If half_pixel_centers is True, align_corners must be False.");
}

// The value of host input `i`, a height and a width; {-1, -1} while it is not known.
Shape size_value(const InferContext& ctx, size_t i) {
  ctx.check_rank(i, 1);
  const Shape& shape = ctx.shape(i);
  if (shape.is_known() && shape[0] != 2) ctx.fail("shape_t must have two elements, not ", shape[0]);
  bool known = false;
  const IntVector values = ctx.ints(i, &known);
  if (!known) return Shape{kUnknownDim, kUnknownDim};
  if (values[0] <= 0 || values[1] <= 0) {
    ctx.fail("output dimensions must be positive, but are ", values[0], " and ", values[1]);
  }
  if (values[0] > INT32_MAX || values[1] > INT32_MAX)
    ctx.fail("output dimensions must be below 2^31, but are ", values[0], " and ", values[1]);
  return Shape{values[0], values[1]};
}

// A product of sizes that a table or a row of scratch needs must fit, as the outputs' must.
void set_scratch(InferContext& ctx, const kernels::Resize& r, DType dtype) {
  for (int64_t size : {r.h.in, r.h.out, r.w.in, r.w.out}) {
    if (size > INT32_MAX) ctx.fail("images must be smaller than 2^31 pixels a side");
  }
  static_cast<void>(Shape{r.batch, r.h.in, r.w.in, r.channels}.num_bytes(8));
  int64_t row = 0;
  if (!checked_mul(r.w.in, r.channels, &row) || !checked_mul(row, 256, &row))
    ctx.fail_size("the size of a row");
  ctx.set_scratch(kernels::resize_scratch(r, dtype));
}

template <Resampling method>
void infer(InferContext& ctx) {
  ctx.check_rank(0, 4);
  const Shape size = size_value(ctx, 1);
  const Shape& images = ctx.shape(0);
  const DType dtype = method == Resampling::kNearest ? ctx.dtype(0) : DType::kFloat32;
  const bool half_pixels = method != Resampling::kArea && ctx.attr(1).as_bool();
  check_centers(ctx, ctx.attr(0).as_bool(), half_pixels);
  if (!images.is_known() || !size.is_known())
    return ctx.add_output(dtype, Shape{kUnknownDim, size[0], size[1], kUnknownDim});
  check_images(ctx, images);
  ctx.add_output(dtype, Shape{images[0], size[0], size[1], images[3]});
  if (images[0] == 0) return;
  set_scratch(ctx, resize_of(method, images, size[0], size[1], ctx.attr(0).as_bool(), half_pixels),
              DType::kFloat32);
}

template <Resampling method>
KernelResult cpu(const KernelContext& ctx) {
  const View &images = ctx.inputs[0], &out = ctx.outputs[0];
  if (out.size() == 0) return KernelResult::ok();
  const bool half_pixels = method != Resampling::kArea && ctx.attrs[1].as_bool();
  kernels::resize(resize_of(method, images.shape, out.shape[1], out.shape[2],
                            ctx.attrs[0].as_bool(), half_pixels),
                  images, out, ctx.scratch);
  return KernelResult::ok();
}

std::string_view name_of(Resampling method) {
  if (method == Resampling::kNearest) return "nearest";
  return method == Resampling::kBilinear ? "bilinear" : "bicubic";
}
Resampling method_of(std::string_view name) {
  if (name == "nearest") return Resampling::kNearest;
  return name == "bilinear" ? Resampling::kBilinear : Resampling::kBicubic;
}

// A height and a width as an op takes them.
Tensor size_of(const Shape& images) {
  const int64_t size[] = {images[1], images[2]};
  return int_tensor(size);
}

template <Resampling method>
Gradients grad(const GradContext& g) {
  const Tensor& images = g.input(0);
  if (!is_differentiable(images.dtype())) return {{}, {}};
  return {resize_grad(g.dy(), size_of(images.shape()), name_of(method), images.dtype(),
                      g.attr(0).as_bool(), g.attr(1).as_bool()),
          {}};
}

void infer_grad(InferContext& ctx) {
  ctx.check_rank(0, 4);
  const std::string_view name = ctx.attr(0).as_string();
  if (name_of(method_of(name)) != name)
    ctx.fail("method must be nearest, bilinear or bicubic, not ", name);
  const DType dtype = ctx.attr(1).as_dtype();
  if (!kRealFloatTypes.has(dtype)) ctx.fail_type("there is no gradient of dtype ", dtype);
  check_centers(ctx, ctx.attr(2).as_bool(), ctx.attr(3).as_bool());
  const Shape size = size_value(ctx, 1);
  const Shape& grads = ctx.shape(0);
  if (!grads.is_known() || !size.is_known())
    return ctx.add_output(dtype, Shape{kUnknownDim, size[0], size[1], kUnknownDim});
  check_images(ctx, grads);
  const Shape images{grads[0], size[0], size[1], grads[3]};
  ctx.add_output(dtype, images);
  if (grads[0] == 0) return;
  set_scratch(ctx,
              resize_of(method_of(name), images, grads[1], grads[2], ctx.attr(2).as_bool(),
                        ctx.attr(3).as_bool()),
              dtype);
}

KernelResult cpu_grad(const KernelContext& ctx) {
  const View &grads = ctx.inputs[0], &out = ctx.outputs[0];
  if (out.size() == 0) return KernelResult::ok();
  kernels::resize_grad(resize_of(method_of(ctx.attrs[0].as_string()), out.shape, grads.shape[1],
                                 grads.shape[2], ctx.attrs[2].as_bool(), ctx.attrs[3].as_bool()),
                       grads, out, ctx.scratch);
  return KernelResult::ok();
}

// The gradient is linear, so its own is the resizing again.
Gradients grad_grad(const GradContext& g) {
  const Tensor size = size_of(g.input(0).shape());
  const bool align = g.attr(2).as_bool(), half = g.attr(3).as_bool();
  const Tensor dy = g.dy();
  const Resampling method = method_of(g.attr(0).as_string());
  const Tensor back = method == Resampling::kNearest
                          ? resize_nearest_neighbor(dy, size, align, half)
                      : method == Resampling::kBilinear ? resize_bilinear(dy, size, align, half)
                                                        : resize_bicubic(dy, size, align, half);
  const DType dtype = g.input(0).dtype();
  return {back.dtype() == dtype ? back : cast(back, dtype), {}};
}

Tensors compose_nearest_grad(const ComposeContext& ctx) {
  return {resize_grad(ctx.tensor(0), ctx.tensor(1), "nearest", ctx.dtype(0), ctx.attr(0).as_bool(),
                      ctx.attr(1).as_bool())};
}
template <Resampling method>
Tensors compose_grad(const ComposeContext& ctx) {
  ctx.check_rank(1, 4);
  return {resize_grad(ctx.tensor(0), size_of(ctx.shape(1)), name_of(method), ctx.dtype(1),
                      ctx.attr(0).as_bool(), ctx.attr(1).as_bool())};
}

using Attributes = std::vector<SampleAttr>;

std::vector<Sample> samples() {
  using enum DType;
  return {
      {{f32({1, 3, 4, 2}), ints({2, 5})}},
      {{f32({1, 3, 4, 1}), ints({2, 5})}, {{"align_corners", true}}},
      {{of(kFloat64, {2, 3, 4, 1}), ints({4, 3})}, {{"half_pixel_centers", true}}},
      {{f32({1, 2, 2, 1}), ints({5, 1})}, {{"half_pixel_centers", true}}},
      {{f32({1, 1, 1, 3}), ints({2, 2})}},
      {{f32({0, 3, 4, 2}), ints({2, 5})}},
      {{of(kFloat16, {1, 2, 3, 1}), ints({3, 2})}},
      {{of(kBFloat16, {1, 2, 3, 1}), ints({3, 2})}},
      {{of(kInt32, {1, 2, 3, 1}, -9, 9), ints({3, 2})}},
      {{of(kUInt8, {1, 2, 3, 1}, 0, 255), ints({3, 2})}},
      {.inputs = {f32({8, 112, 112, 3}), ints({224, 224})}, .for_speed = true},
  };
}
std::vector<Sample> area_samples() {
  using enum DType;
  return {
      {{f32({1, 3, 4, 2}), ints({2, 5})}},
      {{f32({1, 3, 5, 1}), ints({2, 2})}, {{"align_corners", true}}},
      {{of(kFloat64, {1, 7, 7, 1}), ints({2, 3})}},
      {{f32({1, 2, 2, 1}), ints({5, 1})}},
      {{f32({0, 3, 4, 2}), ints({2, 5})}},
      {{of(kFloat16, {1, 2, 3, 1}), ints({1, 2})}},
      {{of(kUInt8, {1, 2, 3, 1}, 0, 255), ints({1, 2})}},
      {.inputs = {f32({8, 224, 224, 3}), ints({112, 112})}, .for_speed = true},
  };
}
std::vector<Sample> grad_samples() {
  using enum DType;
  const auto call = [](const char* method, DType dtype, const char* option = nullptr) {
    Attributes attrs = {{"method", method}, {"dtype", dtype}};
    if (option != nullptr) attrs.push_back({option, true});
    return attrs;
  };
  return {
      {{f32({1, 2, 5, 2}), ints({3, 4})}, call("bilinear", kFloat32)},
      {{of(kFloat64, {1, 2, 5, 1}), ints({3, 4})}, call("nearest", kFloat64, "align_corners")},
      {{of(kFloat64, {2, 4, 3, 1}), ints({3, 2})},
       call("bicubic", kFloat64, "half_pixel_centers"),
       1e-6},
      {{f32({0, 2, 5, 2}), ints({3, 4})}, call("bilinear", kFloat32)},
      {{of(kBFloat16, {1, 2, 5, 2}), ints({3, 4})}, call("nearest", kBFloat16)},
      {{f32({1, 2, 5, 2}), ints({3, 4})}, call("bilinear", kFloat16, "half_pixel_centers")},
  };
}
std::vector<Sample> nearest_grad_samples() {
  using enum DType;
  return {
      {{f32({1, 2, 5, 2}), ints({3, 4})}},
      {{of(kFloat64, {1, 2, 5, 2}), ints({3, 4})}, {{"half_pixel_centers", true}}},
      {{of(kFloat16, {1, 4, 4, 1}), ints({3, 2})}, {{"align_corners", true}}},
  };
}
std::vector<Sample> image_grad_samples() {
  using enum DType;
  return {
      {{f32({1, 2, 5, 2}), f32({1, 3, 4, 2})}},
      {{f32({1, 2, 5, 2}), of(kFloat64, {1, 3, 4, 2})}, {{"half_pixel_centers", true}}, 1e-6},
      {{f32({1, 4, 4, 1}), of(kFloat16, {1, 3, 2, 1})}, {{"align_corners", true}}},
      {{f32({0, 2, 5, 2}), f32({0, 3, 4, 2})}},
  };
}

}  // namespace

PEN_OP_DEF(resize_nearest_neighbor) = {
    .name = "ResizeNearestNeighbor",
    .doc = "Images in another size, each pixel that of the nearest place.",
    .inputs = {in("images", kImageTypes), host("size", kIndexTypes)},
    .attrs = {bool_attr("align_corners", false), bool_attr("half_pixel_centers", false)},
    .infer = infer<Resampling::kNearest>,
    .cpu = cpu<Resampling::kNearest>,
    .grad = grad<Resampling::kNearest>,
    .samples = samples,
};

PEN_OP_DEF(resize_bilinear) = {
    .name = "ResizeBilinear",
    .doc = "Images in another size, as float32, with straight lines between the pixels.",
    .inputs = {in("images", kImageTypes), host("size", kIndexTypes)},
    .attrs = {bool_attr("align_corners", false), bool_attr("half_pixel_centers", false)},
    .infer = infer<Resampling::kBilinear>,
    .cpu = cpu<Resampling::kBilinear>,
    .grad = grad<Resampling::kBilinear>,
    .samples = samples,
};

PEN_OP_DEF(resize_bicubic) = {
    .name = "ResizeBicubic",
    .doc = "Images in another size, as float32, with cubic curves between the pixels.",
    .inputs = {in("images", kImageTypes), host("size", kIndexTypes)},
    .attrs = {bool_attr("align_corners", false), bool_attr("half_pixel_centers", false)},
    .infer = infer<Resampling::kBicubic>,
    .cpu = cpu<Resampling::kBicubic>,
    .grad = grad<Resampling::kBicubic>,
    .samples = samples,
};

PEN_OP_DEF(resize_area) = {
    .name = "ResizeArea",
    .doc = "Images in another size, as float32, each pixel the mean of the area that it covers.",
    .inputs = {in("images", kImageTypes), host("size", kIndexTypes)},
    .attrs = {bool_attr("align_corners", false)},
    .infer = infer<Resampling::kArea>,
    .cpu = cpu<Resampling::kArea>,
    .grad = missing_gradient,
    .samples = area_samples,
};

PEN_OP_DEF(resize_grad) = {
    .name = "ResizeGrad",
    .doc = "The gradient of a resizing for images of the given size, from that of its result.",
    .inputs = {in("grads", kRealFloatTypes), host("size", kIndexTypes)},
    .attrs = {string_attr("method"), dtype_attr("dtype"), bool_attr("align_corners", false),
              bool_attr("half_pixel_centers", false)},
    .infer = infer_grad,
    .cpu = cpu_grad,
    .grad = grad_grad,
    .samples = grad_samples,
};

PEN_OP_DEF(resize_nearest_neighbor_grad) = {
    .name = "ResizeNearestNeighborGrad",
    .doc = "The gradient of ResizeNearestNeighbor for images of the given size.",
    .inputs = {in("grads", kRealFloatTypes), host("size", kIndexTypes)},
    .attrs = {bool_attr("align_corners", false), bool_attr("half_pixel_centers", false)},
    .infer = composed,
    .compose = compose_nearest_grad,
    .grad = composed_gradient,
    .samples = nearest_grad_samples,
};

PEN_OP_DEF(resize_bilinear_grad) = {
    .name = "ResizeBilinearGrad",
    .doc = "The gradient of ResizeBilinear for images of original_image's shape and dtype.",
    .inputs = {in("grads", DType::kFloat32, 'G'), in("original_image", kRealFloatTypes)},
    .attrs = {bool_attr("align_corners", false), bool_attr("half_pixel_centers", false)},
    .infer = composed,
    .compose = compose_grad<Resampling::kBilinear>,
    .grad = composed_gradient,
    .samples = image_grad_samples,
};

PEN_OP_DEF(resize_bicubic_grad) = {
    .name = "ResizeBicubicGrad",
    .doc = "The gradient of ResizeBicubic for images of original_image's shape and dtype.",
    .inputs = {in("grads", DType::kFloat32, 'G'), in("original_image", kRealFloatTypes)},
    .attrs = {bool_attr("align_corners", false), bool_attr("half_pixel_centers", false)},
    .infer = composed,
    .compose = compose_grad<Resampling::kBicubic>,
    .grad = composed_gradient,
    .samples = image_grad_samples,
};

}  // namespace penstock
