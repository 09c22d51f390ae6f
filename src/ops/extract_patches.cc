// ExtractImagePatches and ExtractVolumePatches: the window at every position. PatchesToVolume, the
// reverse, is their gradient.
#include <algorithm>

#include <penstock/base/checked.h>
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/volume_patches.h"

namespace penstock {
namespace {

// Complex images would need a gradient that adds complex patches.
constexpr DTypeSet kPatchTypes = kRealTypes | DType::kBool;

// One axis of a window, or the reason why there is none.
const char* window_axis(int64_t in, int64_t size, int64_t stride, int64_t rate,
                        std::string_view padding, kernels::WindowAxis* axis) {
  const auto is_count = [](int64_t n) { return n > 0 && n <= INT32_MAX; };
  if (!is_count(size) || !is_count(stride) || !is_count(rate))
    return "sizes, strides and rates must be positive";
  *axis = {.in = in, .out = 0, .size = size, .stride = stride, .dilation = rate, .pad = 0};
  const int64_t reach = (size - 1) * rate + 1;
  if (padding == "SAME") {
    axis->out = in / stride + (in % stride != 0);
    if (axis->out > 0) axis->pad = std::max<int64_t>(0, (axis->out - 1) * stride + reach - in) / 2;
    return nullptr;
  }
  if (padding != "VALID") return "padding must be SAME or VALID";
  if (in < reach) return "the window is larger than the input";
  axis->out = (in - reach) / stride + 1;
  return nullptr;
}

// The attributes of a call that are lists with an entry per dimension of `x`.
struct Lists {
  std::span<const int64_t> ksizes, strides, rates;  // no rates: all 1
  std::string_view padding;
};
const char* read(const Shape& x, const Lists& lists, kernels::VolumePatches* s, Shape* patches) {
  const auto rank = static_cast<size_t>(x.rank());
  if (x.rank() < 3) return "the input must have 4 or 5 dimensions";
  const auto fits = [&](std::span<const int64_t> list) {
    return list.size() == rank && list[0] == 1 && list[rank - 1] == 1;
  };
  if (!fits(lists.ksizes) || !fits(lists.strides) || (!lists.rates.empty() && !fits(lists.rates)))
    return "ksizes, strides and rates must have a number for each axis, 1 for batch and channels";
  *s = {x[0], x[x.rank() - 1], {}};
  *patches = Shape{x[0]};
  int64_t depth = s->channels;
  const int first = 5 - x.rank();  // images are volumes of depth 1
  s->axes[0] = {.in = 1, .out = 1};
  for (int i = 1; i < x.rank() - 1; ++i) {
    const auto k = static_cast<size_t>(i);
    kernels::WindowAxis* axis = &s->axes[first + i - 1];
    if (const char* problem =
            window_axis(x[i], lists.ksizes[k], lists.strides[k],
                        lists.rates.empty() ? 1 : lists.rates[k], lists.padding, axis))
      return problem;
    patches->append(axis->out);
    if (!checked_mul(depth, axis->size, &depth)) return "a patch's size overflows";
  }
  patches->append(depth);
  return nullptr;
}

template <int kRank>
Lists lists_of(Attrs attrs) {
  if (kRank == 5) return {attrs[0].as_ints(), attrs[1].as_ints(), {}, attrs[2].as_string()};
  return {attrs[0].as_ints(), attrs[1].as_ints(), attrs[2].as_ints(), attrs[3].as_string()};
}
Lists lists_of_sum(Attrs attrs) {
  return {attrs[0].as_ints(), attrs[1].as_ints(), attrs[2].as_ints(), attrs[3].as_string()};
}

Shape patches_of(const InferContext& ctx, const Shape& x, const Lists& lists) {
  kernels::VolumePatches s;
  Shape patches;
  if (const char* problem = read(x, lists, &s, &patches)) {
    ctx.fail(problem, ": input ", x, ", ksizes ", ctx.attr(0), ", strides ", ctx.attr(1),
             ", padding ", lists.padding);
  }
  return patches;
}

template <int kRank>
void infer(InferContext& ctx) {
  ctx.check_rank(0, kRank);
  if (!ctx.shape(0).is_known()) return ctx.add_output(ctx.dtype(0), Shape::unknown_rank());
  const Lists lists = lists_of<kRank>({&ctx.attr(0), kRank == 5 ? 3u : 4u});
  ctx.add_output(ctx.dtype(0), patches_of(ctx, ctx.shape(0), lists));
}

template <int kRank>
KernelResult cpu(const KernelContext& ctx) {
  const View &x = ctx.inputs[0], &out = ctx.outputs[0];
  if (out.size() == 0) return KernelResult::ok();
  kernels::VolumePatches s;
  Shape patches;
  static_cast<void>(read(x.shape, lists_of<kRank>(ctx.attrs), &s, &patches));
  kernels::extract_patches(s, x.data, dtype_size(x.dtype), out.data);
  return KernelResult::ok();
}

template <int kRank>
Gradients grad(const GradContext& g) {
  const Lists lists = lists_of<kRank>(g.attrs());
  return {patches_to_volume(g.dy(), shape_tensor(g.input(0)), lists.ksizes, lists.strides,
                            lists.padding, lists.rates)};
}

void infer_sum(InferContext& ctx) {
  const Shape x = ctx.shape_value(1);
  if (x.is_known() && ctx.shape(0).is_known()) {
    if (x.rank() != 4 && x.rank() != 5) ctx.fail("the shape must have 4 or 5 dimensions, not ", x);
    const Shape patches = patches_of(ctx, x, lists_of_sum({&ctx.attr(0), 4}));
    if (patches != ctx.shape(0)) {
      ctx.fail("patches of ", x, " have shape ", patches, ", but those given have ", ctx.shape(0));
    }
  }
  ctx.add_output(ctx.dtype(0), x);
}

KernelResult cpu_sum(const KernelContext& ctx) {
  const View& out = ctx.outputs[0];
  if (out.size() == 0) return KernelResult::ok();
  kernels::VolumePatches s;
  Shape patches;
  static_cast<void>(read(out.shape, lists_of_sum(ctx.attrs), &s, &patches));
  kernels::add_patches(s, out.dtype, ctx.inputs[0].data, out.data);
  return KernelResult::ok();
}

Gradients grad_sum(const GradContext& g) {
  const Lists lists = lists_of_sum(g.attrs());
  const Tensor dy = g.dy();
  if (dy.rank() == 5) {
    return {extract_volume_patches(dy, lists.ksizes, lists.strides, lists.padding), {}};
  }
  if (!lists.rates.empty()) {
    return {extract_image_patches(dy, lists.ksizes, lists.strides, lists.rates, lists.padding), {}};
  }
  return {extract_image_patches(dy, lists.ksizes, lists.strides, {1, 1, 1, 1}, lists.padding), {}};
}

std::vector<SampleAttr> image_attrs(std::vector<int64_t> ksizes, std::vector<int64_t> strides,
                                    std::vector<int64_t> rates, const char* padding) {
  return {{"ksizes", std::move(ksizes)},
          {"strides", std::move(strides)},
          {"rates", std::move(rates)},
          {"padding", padding}};
}
std::vector<Sample> image_samples() {
  using enum DType;
  const auto plain = image_attrs({1, 2, 2, 1}, {1, 1, 2, 1}, {1, 1, 1, 1}, "SAME");
  std::vector<Sample> list = {
      {{f32({1, 3, 4, 2})}, plain},
      {{of(kFloat64, {2, 5, 5, 1})},
       image_attrs({1, 2, 3, 1}, {1, 2, 1, 1}, {1, 2, 1, 1}, "VALID")},
      {{of(kFloat64, {1, 4, 4, 1})}, image_attrs({1, 3, 3, 1}, {1, 3, 3, 1}, {1, 1, 2, 1}, "SAME")},
      {{f32({0, 3, 4, 2})}, plain},
      {{f32({1, 3, 4, 0})}, plain},
  };
  for (DType dtype : {kFloat16, kBFloat16, kInt32, kInt64, kUInt8, kBool})
    list.push_back({{of(dtype, {1, 3, 3, 1}, 0, 5)}, plain});
  list.push_back({.inputs = {f32({8, 56, 56, 16})},
                  .attrs = image_attrs({1, 3, 3, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, "SAME"),
                  .for_speed = true});
  return list;
}
std::vector<Sample> volume_samples() {
  using enum DType;
  const auto attrs = [](std::vector<int64_t> ksizes, std::vector<int64_t> strides,
                        const char* padding) {
    return std::vector<SampleAttr>{
        {"ksizes", std::move(ksizes)}, {"strides", std::move(strides)}, {"padding", padding}};
  };
  return {
      {{f32({1, 2, 3, 3, 2})}, attrs({1, 2, 2, 2, 1}, {1, 1, 1, 1, 1}, "VALID")},
      {{of(kFloat64, {1, 3, 3, 2, 1})}, attrs({1, 2, 2, 1, 1}, {1, 2, 1, 1, 1}, "SAME")},
      {{f32({0, 2, 3, 3, 2})}, attrs({1, 1, 2, 2, 1}, {1, 1, 1, 1, 1}, "SAME")},
      {{of(kInt32, {1, 2, 2, 2, 1})}, attrs({1, 2, 2, 2, 1}, {1, 1, 1, 1, 1}, "VALID")},
  };
}
std::vector<Sample> sum_samples() {
  using enum DType;
  return {
      {{f32({1, 3, 2, 8}), ints({1, 3, 4, 2})},
       image_attrs({1, 2, 2, 1}, {1, 1, 2, 1}, {1, 1, 1, 1}, "SAME")},
      {{of(kFloat64, {2, 2, 3, 6}), given(kInt64, {4}, {2, 5, 5, 1})},
       image_attrs({1, 2, 3, 1}, {1, 2, 1, 1}, {1, 2, 1, 1}, "VALID")},
      {{of(kFloat64, {1, 2, 3, 2, 4}), ints({1, 3, 3, 2, 1})},
       image_attrs({1, 2, 2, 1, 1}, {1, 2, 1, 1, 1}, {}, "SAME")},
      {{of(kBFloat16, {1, 2, 2, 4}), ints({1, 3, 3, 1})},
       image_attrs({1, 2, 2, 1}, {1, 1, 1, 1}, {}, "VALID")},
      {{f32({0, 3, 2, 8}), ints({0, 3, 4, 2})},
       image_attrs({1, 2, 2, 1}, {1, 1, 2, 1}, {1, 1, 1, 1}, "SAME")},
  };
}

}  // namespace

PEN_OP_DEF(extract_image_patches) = {
    .name = "ExtractImagePatches",
    .doc = "The patches of images that a window sees, each as the channels of its position.",
    .inputs = {in("images", kPatchTypes)},
    .attrs = {ints_attr("ksizes"), ints_attr("strides"), ints_attr("rates"),
              string_attr("padding")},
    .infer = infer<4>,
    .cpu = cpu<4>,
    .grad = grad<4>,
    .samples = image_samples,
};

PEN_OP_DEF(extract_volume_patches) = {
    .name = "ExtractVolumePatches",
    .doc = "The patches of volumes that a window sees, each as the channels of its position.",
    .inputs = {in("input", kPatchTypes)},
    .attrs = {ints_attr("ksizes"), ints_attr("strides"), string_attr("padding")},
    .infer = infer<5>,
    .cpu = cpu<5>,
    .grad = grad<5>,
    .samples = volume_samples,
};

PEN_OP_DEF(patches_to_volume) = {
    .name = "PatchesToVolume",
    .doc = "Images or volumes from their patches, which are added up: the gradient of the above.",
    .inputs = {in("patches", kRealFloatTypes), host("shape", kIndexTypes)},
    .attrs = {ints_attr("ksizes"), ints_attr("strides"), ints_attr("rates", kNoInts),
              string_attr("padding")},
    .infer = infer_sum,
    .cpu = cpu_sum,
    .grad = grad_sum,
    .samples = sum_samples,
};

}  // namespace penstock
