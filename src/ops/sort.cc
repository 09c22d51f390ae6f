// Sort, ArgSort: values in order, and the positions that put them in order.
#include "kernels/sort.h"

#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

namespace penstock {
namespace {

bool descends(const InferContext& ctx, size_t attr) {
  const std::string_view direction = ctx.attr(attr).as_string();
  if (direction != "ASCENDING" && direction != "DESCENDING") {
    ctx.fail("Unknown sort direction ", direction, ": it is either ASCENDING or DESCENDING");
  }
  return direction == "DESCENDING";
}

// `axis` swapped with the last one.
Tensor with_axis_last(const Tensor& x, int axis) {
  if (axis == x.rank() - 1) return x;
  IntVector perm;
  for (int i = 0; i < x.rank(); ++i) perm.push_back(i);
  std::swap(perm[static_cast<size_t>(axis)], perm.back());
  return transpose(x, std::span<const int64_t>(perm));
}

Tensors compose_sort(const ComposeContext& ctx) {
  const int axis = ctx.axis(ctx.attr(0).as_int(), ctx.shape(0).rank());
  const bool descending = descends(ctx, 1);
  return {with_axis_last(sort_rows(with_axis_last(ctx.tensor(0), axis), descending), axis)};
}

Tensors compose_argsort(const ComposeContext& ctx) {
  const int axis = ctx.axis(ctx.attr(0).as_int(), ctx.shape(0).rank());
  const bool descending = descends(ctx, 1);
  return {with_axis_last(argsort_rows(with_axis_last(ctx.tensor(0), axis), descending), axis)};
}

template <typename Scratch>
void infer_rows(InferContext& ctx, DType dtype, const Scratch& scratch_for) {
  const Shape& shape = ctx.shape(0);
  if (shape.rank() == 0) ctx.fail("a scalar cannot be sorted");
  ctx.add_output(dtype, shape);
  if (!shape.is_known() || shape.num_elements() == 0) return;
  const int64_t width = shape[shape.rank() - 1];
  if (width > INT32_MAX) ctx.fail("rows have at most 2^31 - 1 elements, but the shape is ", shape);
  const kernels::SortScratch scratch =
      scratch_for(ctx.dtype(0), shape.num_elements() / width, width);
  if (scratch.bytes < 0) ctx.fail_size("the size of its scratch memory");
  ctx.set_scratch(scratch.slots, scratch.bytes);
}

void infer_sort(InferContext& ctx) { infer_rows(ctx, ctx.dtype(0), kernels::sort_scratch); }
void infer_argsort(InferContext& ctx) { infer_rows(ctx, DType::kInt32, kernels::argsort_scratch); }

KernelResult cpu_sort(const KernelContext& ctx) {
  const View& in = ctx.inputs[0];
  if (in.size() == 0) return KernelResult::ok();
  kernels::sort_rows(in, in.shape[in.shape.rank() - 1], ctx.attrs[0].as_bool(), ctx.outputs[0],
                     ctx.scratch);
  return KernelResult::ok();
}

KernelResult cpu_argsort(const KernelContext& ctx) {
  const View& in = ctx.inputs[0];
  if (in.size() == 0) return KernelResult::ok();
  const int64_t width = in.shape[in.shape.rank() - 1];
  kernels::argsort_rows(in, width, ctx.attrs[0].as_bool(), width, ctx.outputs[0].as<int32_t>(),
                        ctx.scratch);
  return KernelResult::ok();
}

// The gradient of the value at position k belongs to its origin: argsort of the positions gives the
// position of each element.
Gradients grad_sort(const GradContext& g) {
  const int rank = g.input(0).rank();
  const Tensor places = argsort_rows(argsort_rows(g.input(0), g.attr(0).as_bool()), false);
  return {gather(g.dy(), places, rank - 1, rank - 1)};
}

std::vector<Sample> samples_with(std::vector<std::pair<std::vector<SampleAttr>, Shape>> calls) {
  std::vector<Sample> samples;
  for (auto& [attrs, shape] : calls) samples.push_back({{distinct(DType::kFloat32, shape)}, attrs});
  const auto add = [&](SampleInput input) {
    samples.push_back({{std::move(input)}});
    samples.back().check_grad = false;
  };
  add(given(DType::kFloat32, {6}, {1, -0.0, 0, -1, 1, 0}));
  add(given(DType::kFloat64, {5}, {1, -1e300, 1e-300, INFINITY, -INFINITY}));
  for (DType dtype :
       {DType::kFloat16, DType::kBFloat16, DType::kInt8, DType::kInt16, DType::kInt32,
        DType::kInt64, DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64}) {
    add(of(dtype, {3, 7}, -6, 6));
  }
  for (DType dtype :
       {DType::kFloat32, DType::kFloat64, DType::kInt64, DType::kUInt8, DType::kBFloat16}) {
    add(of(dtype, {2, 700}, -100, 100));  // long enough for the radix sort
  }
  samples.push_back({{f32({1000000})}, {}, 0, true, true});
  return samples;
}

std::vector<Sample> samples() {
  return samples_with({
      {{}, {7}},
      {{{"direction", "DESCENDING"}}, {7}},
      {{{"axis", 0}}, {4, 3}},
      {{{"axis", -2}, {"direction", "DESCENDING"}}, {2, 4, 3}},
      {{{"axis", 2}}, {2, 1, 4}},
      {{}, {0, 3}},
      {{{"axis", 0}}, {0, 3}},
  });
}

std::vector<Sample> argsort_samples() {
  std::vector<Sample> all = samples();
  all[0].attrs.emplace_back("stable", true);
  return all;
}

std::vector<Sample> row_samples() {
  return samples_with({
      {{}, {7}},
      {{{"descending", true}}, {2, 5}},
      {{{"descending", true}}, {0, 3}},
  });
}

LateName late_sort(const GraphCall& call) {
  if (call.attr("direction").as_string() == "ASCENDING")
    return {kIntTypes.has(call.dtype()) ? "sub_1" : "Neg_1"};
  return {call.is_last(call.attr("axis").as_int()) ? "TopKV2" : "transpose_1"};
}

LateName late_argsort(const GraphCall& call) {
  return {call.is_last(call.attr("axis").as_int()) ? "TopKV2" : "transpose_1"};
}

}  // namespace

PEN_OP_DEF(sort) = {
    .name = "Sort",
    .doc = "The values in order along an axis, NaN being the largest.",
    .inputs = {in("values", kRealTypes)},
    .attrs = {int_attr("axis", -1), string_attr("direction", "ASCENDING")},
    .infer = composed,
    .compose = compose_sort,
    .grad = composed_gradient,
    .samples = samples,
    .graph_name = {.scope = "sort", .late = late_sort},
};

PEN_OP_DEF(argsort) = {
    .name = "ArgSort",
    .doc = "The positions that put the values in order along an axis; equal ones keep their order.",
    .inputs = {in("values", kRealTypes)},
    .attrs = {int_attr("axis", -1), string_attr("direction", "ASCENDING"),
              bool_attr("stable", false)},
    .infer = composed,
    .compose = compose_argsort,
    .grad = no_gradient,
    .samples = argsort_samples,
    .graph_name = {.scope = "argsort", .late = late_argsort},
};

PEN_OP_DEF(sort_rows) = {
    .name = "SortRows",
    .doc = "The values in order along the last axis.",
    .inputs = {in("values", kRealTypes)},
    .attrs = {bool_attr("descending", false)},
    .forwards = {{0, 0}},
    .infer = infer_sort,
    .cpu = cpu_sort,
    .grad = grad_sort,
    .saves = {.inputs = kAll},
    .samples = row_samples,
};

PEN_OP_DEF(argsort_rows) = {
    .name = "ArgSortRows",
    .doc = "The positions that put the values in order along the last axis.",
    .inputs = {in("values", kRealTypes)},
    .attrs = {bool_attr("descending", false)},
    .infer = infer_argsort,
    .cpu = cpu_argsort,
    .grad = no_gradient,
    .samples = row_samples,
};

}  // namespace penstock
