// Pooling over one axis.
#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

#include "ops/window.h"

namespace penstock {
namespace {

// One axis is two of which the first has one position.
template <typename Pool>
Tensors pool_1d(const ComposeContext& ctx, const Pool& pool) {
  const std::string_view format = ctx.attr(3).as_string();
  if (format != "NWC" && format != "NCW") ctx.fail("data_format must be NWC or NCW, not ", format);
  ctx.check_rank(0, 3);
  const bool first = format == "NCW";
  const auto list = [&](std::string_view what, size_t attr) {
    const IntVector full = full_list(ctx, what, ctx.attr(attr).as_ints(), {1, first});
    if (full[0] != 1 || full[first ? 1 : 2] != 1) {
      ctx.fail(what, " over the batch and the channels must be 1");
    }
    return first ? IntVector{1, 1, 1, full[2]} : IntVector{1, 1, full[1], 1};
  };
  const IntVector ksize = list("ksize", 0), strides = list("strides", 1);
  const int64_t axis = first ? 2 : 1;
  const Tensor y = pool(expand_dims(ctx.tensor(0), axis), as_list(ksize), as_list(strides),
                        ctx.attr(2).as_string(), first ? "NCHW" : "NHWC");
  return {squeeze(y, {axis})};
}
Tensors compose_max(const ComposeContext& ctx) {
  return pool_1d(ctx, [](const auto&... args) { return max_pool(args...); });
}
Tensors compose_avg(const ComposeContext& ctx) {
  return pool_1d(ctx, [](const auto&... args) { return avg_pool(args...); });
}

std::vector<Sample> samples_1d(bool distinct) {
  const auto x = [&](DType dtype, const Shape& shape) {
    return SampleInput{.dtype = dtype, .shape = shape, .distinct = distinct};
  };
  using enum DType;
  return {
      {{x(kFloat32, {2, 6, 2})}, {{"ksize", {2}}, {"strides", {2}}, {"padding", "VALID"}}},
      {{x(kFloat64, {1, 2, 5})},
       {{"ksize", {3}}, {"strides", {2}}, {"padding", "SAME"}, {"data_format", "NCW"}}},
      {{x(kBFloat16, {1, 4, 2})},
       {{"ksize", {1, 3, 1}}, {"strides", {1, 1, 1}}, {"padding", "SAME"}}},
      {{x(kFloat32, {0, 4, 2})}, {{"ksize", {2}}, {"strides", {1}}, {"padding", "SAME"}}},
  };
}
std::vector<Sample> max_samples() { return samples_1d(true); }
std::vector<Sample> avg_samples() { return samples_1d(false); }

}  // namespace

PEN_OP_DEF(max_pool1d) = {
    .name = "MaxPool1D",
    .doc = "The largest value of every window of rows, channel by channel.",
    .inputs = {in("input", kRealFloatTypes)},
    .attrs = {ints_attr("ksize"), ints_attr("strides"), string_attr("padding"),
              string_attr("data_format", "NWC")},
    .infer = composed,
    .compose = compose_max,
    .grad = composed_gradient,
    .samples = max_samples,
    .graph_name = {"MaxPool1d", "Squeeze"},
};

PEN_OP_DEF(avg_pool1d) = {
    .name = "AvgPool1D",
    .doc = "The mean of every window of rows, channel by channel; padding does not count.",
    .inputs = {in("input", kRealFloatTypes)},
    .attrs = {ints_attr("ksize"), ints_attr("strides"), string_attr("padding"),
              string_attr("data_format", "NWC")},
    .infer = composed,
    .compose = compose_avg,
    .grad = composed_gradient,
    .samples = avg_samples,
    .graph_name = {.result = "Squeeze"},
};

}  // namespace penstock
