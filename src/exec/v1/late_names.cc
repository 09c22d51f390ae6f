#include "exec/v1/late_names.h"

#include <algorithm>

#include <penstock/base/check.h>

namespace penstock::exec {
namespace {

// Whether an axis is known to be the last one.
bool is_last(int64_t axis, const Shape& shape) {
  return axis == -1 || (shape.has_rank() && axis == shape.rank() - 1);
}

bool is_integer(DType dtype) { return kIntTypes.has(dtype); }

// The size of the last dimension, or kUnknownDim.
int64_t last_size(const Shape& shape) {
  return shape.has_rank() && shape.rank() > 0 ? shape[shape.rank() - 1] : kUnknownDim;
}

// Whether a filter is dilated: TensorFlow then convolves parts of the input and reassembles them.
bool is_dilated(const OpCall& call) {
  const std::span<const int64_t> dilations = call.attr("dilations").as_ints();
  return is_given(dilations) && std::ranges::any_of(dilations, [](int64_t d) { return d != 1; });
}

// A cosine transform of that type: the number of its products and slices depends on whether the
// size is known and whether the signal is truncated.
LateName cosine_transform(const OpCall& call, int64_t type) {
  const int64_t size = last_size(call.shape()), n = call.attr("n").as_int();
  const bool is_open = size == kUnknownDim, is_cut = !is_open && n >= 0 && n < size;
  const bool is_scaled = call.attr("norm").as_string() == "ortho";
  if (type == 2 && is_scaled) return {is_open ? "mul_7" : "mul_6", "", ""};
  if (type <= 2) return {"Real", "", ""};
  if (type == 4 && is_scaled) return {is_open ? "mul_2" : "mul_1", "", ""};
  return {is_open ? "strided_slice_2" : is_cut ? "strided_slice_1" : "strided_slice", "", ""};
}

}  // namespace

const Attr& OpCall::attr(std::string_view name) const {
  for (size_t i = 0; i < attrs.size(); ++i) {
    if (op.attrs[i].name == name) return attrs[i];
  }
  PEN_CHECK(false);
  return attrs[0];
}

LateName late_gelu(const OpCall& call) {
  return {call.attr("approximate").as_bool() ? "mul_3" : "mul_2", "", ""};
}

// A separate function with its own gradient: its parts are next to it.
LateName late_swish(const OpCall& call) {
  const bool is_cast = call.dtype() != DType::kFloat32;
  return {"", is_cast ? "beta Cast mul Sigmoid mul Identity" : "beta mul Sigmoid mul Identity", ""};
}

LateName late_norm(const OpCall& call) {
  if (!call.attr("keepdims").as_bool()) return {"Squeeze", "", ""};
  const std::string_view kind = call.attr("ord").as_string();
  if (kind == "euclidean" || kind == "fro" || kind == "2") return {"Sqrt", "", ""};
  const std::span<const int64_t> axes = call.attr("axis").as_ints();
  if (is_given(axes) && axes.size() == 2) return {"Max", "", ""};  // of sums of rows or columns
  if (kind == "1") return {"Sum", "", ""};
  return {kind == "inf" ? "Max" : "Pow_1", "", ""};
}

// Softmax works on the last axis; another axis is swapped with it, and back.
LateName late_softmax(const OpCall& call) {
  const int64_t axis = call.attr("axis").as_int();
  if (is_last(axis, call.shape())) return {};
  if (axis >= 0)
    return {"", "Rank Rank Sub Sub range range range range concat concat transpose", "transpose"};
  return {"", "Rank Rank add add add mod Sub Sub range range range range concat concat transpose",
          "transpose"};
}

LateName late_sort(const OpCall& call) {
  if (call.attr("direction").as_string() == "ASCENDING")
    return {is_integer(call.dtype()) ? "sub_1" : "Neg_1", "", ""};
  return {is_last(call.attr("axis").as_int(), call.shape()) ? "TopKV2" : "transpose_1", "", ""};
}

LateName late_argsort(const OpCall& call) {
  return {is_last(call.attr("axis").as_int(), call.shape()) ? "TopKV2" : "transpose_1", "", ""};
}

LateName late_searchsorted(const OpCall& call) {
  if (call.attr("side").as_string() == "left")
    return {"", "Shape Shape Shape strided_slice strided_slice Reshape LowerBound", "Reshape"};
  return {"", "Shape Shape Shape strided_slice strided_slice Reshape UpperBound", "Reshape"};
}

// The product is the result if it has its shape: each side has one free axis of known size.
LateName late_tensordot(const OpCall& call) {
  const std::span<const int64_t> axes[] = {call.attr("axes_a").as_ints(),
                                           call.attr("axes_b").as_ints()};
  bool is_product = true;
  for (size_t i = 0; i < 2; ++i) {
    const Shape& shape = call.inputs[i]->shape();
    is_product =
        is_product && shape.is_known() && static_cast<size_t>(shape.rank()) == axes[i].size() + 1;
  }
  return {is_product ? "MatMul" : "", "", ""};
}

LateName late_count_nonzero(const OpCall& call) {
  return {call.attr("dtype").as_dtype() == DType::kInt64 ? "Sum" : "Cast_1", "", ""};
}

// A one-dimensional convolution is a two-dimensional one.
LateName late_convolution(const OpCall& call) {
  if (is_dilated(call)) return {"BatchToSpaceND", "", ""};
  const bool is_flat = call.shape().has_rank() && call.shape().rank() == 3;
  return {is_flat ? "Squeeze" : "", "", ""};
}

LateName late_sequence_mask(const OpCall& call) {
  return {call.attr("dtype").as_dtype() == DType::kBool ? "Less" : "Cast_1", "", ""};
}

LateName late_nce_loss(const OpCall&) { return {"", "sampled_losses ones MatMul", ""}; }

LateName late_frame(const OpCall& call) {
  return {call.shape().is_known() ? "Reshape_3" : "Reshape_4", "", ""};
}

LateName late_window(const OpCall& call) {
  return {call.attr("window_length").as_int() == 1 ? "ones" : "sub_2", "", ""};
}

LateName late_xor(const OpCall&) { return {"", "LogicalOr LogicalAnd LogicalNot", ""}; }

LateName late_atrous(const OpCall& call) {
  return {call.attr("rate").as_int() == 1 ? "" : "BatchToSpaceND", "", ""};
}

LateName late_atrous_transpose(const OpCall& call) {
  return {call.attr("rate").as_int() == 1 ? "conv2d_transpose" : "BatchToSpaceND", "", ""};
}

LateName late_depthwise(const OpCall& call) {
  return {is_dilated(call) ? "BatchToSpaceND" : "", "", ""};
}

LateName late_dct(const OpCall& call) { return cosine_transform(call, call.attr("type").as_int()); }

// Types 2 and 3 are inverse to each other; the others to themselves.
LateName late_idct(const OpCall& call) {
  const int64_t type = call.attr("type").as_int();
  return cosine_transform(call, type == 2 || type == 3 ? 5 - type : type);
}

LateName late_overlap(const OpCall& call) {
  if (last_size(call.shape()) == call.attr("frame_step").as_int()) return {"fast_path", "", ""};
  return {call.shape().is_known() ? "strided_slice_1" : "strided_slice_4", "", ""};
}

}  // namespace penstock::exec
