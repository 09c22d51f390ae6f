// StridedSlice: the selection of a NumPy-like index. StridedSliceGrad: the reverse, with zeros
// elsewhere. TensorStridedSliceUpdate: a tensor with other values there.
#include <cstring>
#include <utility>

#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "ops/strided_spec.h"

namespace penstock {
namespace {

// The masks in the order of the OpDefs.
Attrs masks_of(const InferContext& ctx) { return {&ctx.attr(0), 5}; }

bool bounds_known(const InferContext& ctx, size_t first) {
  for (size_t i = first; i < first + 3; ++i) {
    if (ctx.input(i).data == nullptr) return false;
  }
  return true;
}

StridedSpec checked_spec(const InferContext& ctx, const Shape& whole, size_t first) {
  StridedSpec spec = strided_spec(whole, &ctx.input(first), masks_of(ctx));
  if (!spec.problem.empty()) ctx.fail(spec.problem);
  return spec;
}

void infer(InferContext& ctx) {
  const Shape& whole = ctx.shape(0);
  if (!whole.has_rank() || !bounds_known(ctx, 1)) {
    return ctx.add_output(ctx.dtype(0), Shape::unknown_rank());
  }
  const StridedSpec spec = checked_spec(ctx, whole, 1);
  if (!whole.is_known()) return ctx.add_output(ctx.dtype(0), spec.output);
  if (spec.picked.num_elements() == 0 || !spec.is_run(whole)) {
    return ctx.add_output(ctx.dtype(0), spec.output);
  }
  const auto size = static_cast<int64_t>(dtype_size(ctx.dtype(0)));
  ctx.share_output(spec.output, 0, spec.start(whole) * size);
}

KernelResult cpu(const KernelContext& ctx) {
  const View& in = ctx.inputs[0];
  if (ctx.outputs[0].size() == 0) return KernelResult::ok();
  const StridedSpec spec = strided_spec(in.shape, &ctx.inputs[1], ctx.attrs);
  kernels::move(spec.box(in.shape), in.data, ctx.outputs[0].data, dtype_size(in.dtype));
  return KernelResult::ok();
}

Gradients grad(const GradContext& g) {
  const auto mask = [&](size_t i) { return g.attr(i).as_int(); };
  return {strided_slice_grad(shape_tensor(g.input(0)), g.input(1), g.input(2), g.input(3), g.dy(),
                             mask(0), mask(1), mask(2), mask(3), mask(4)),
          {},
          {},
          {}};
}

void infer_back(InferContext& ctx) {
  ctx.check_rank(0, 1);
  const Shape whole = ctx.shape_value(0);
  if (!whole.is_known() || !bounds_known(ctx, 1) || !ctx.shape(4).is_known()) {
    return ctx.add_output(ctx.dtype(4), whole);
  }
  const StridedSpec spec = checked_spec(ctx, whole, 1);
  if (ctx.shape(4) != spec.output) {
    ctx.fail("shape of dy was ", ctx.shape(4), " instead of ", spec.output);
  }
  ctx.add_output(ctx.dtype(4), whole);
}

// Writes `value` to the part of the output that the index of inputs 1 to 3 selects.
void put_back(const KernelContext& ctx, const View& value) {
  const View& out = ctx.outputs[0];
  const StridedSpec spec = strided_spec(out.shape, &ctx.inputs[1], ctx.attrs);
  kernels::Move box = spec.box(out.shape);
  for (int i = 0; i < box.rank; ++i) std::swap(box.from[i], box.to[i]);
  std::swap(box.from_start, box.to_start);
  kernels::move(box, value.data, out.data, dtype_size(out.dtype));
}

KernelResult cpu_back(const KernelContext& ctx) {
  const View& dy = ctx.inputs[4];
  const View& out = ctx.outputs[0];
  std::memset(out.data, 0, static_cast<size_t>(out.shape.num_bytes(dtype_size(out.dtype))));
  if (dy.size() != 0) put_back(ctx, dy);
  return KernelResult::ok();
}

Gradients grad_back(const GradContext& g) {
  const auto mask = [&](size_t i) { return g.attr(i).as_int(); };
  Gradients found = {{}, {}, {}, {}};
  found.push_back(strided_slice(g.dy(), g.input(1), g.input(2), g.input(3), mask(0), mask(1),
                                mask(2), mask(3), mask(4)));
  return found;
}

void infer_update(InferContext& ctx) {
  const Shape& whole = ctx.shape(0);
  if (whole.is_known() && bounds_known(ctx, 1) && ctx.shape(4).is_known()) {
    const StridedSpec spec = checked_spec(ctx, whole, 1);
    if (ctx.shape(4) != spec.output) {
      ctx.fail("shape of value was ", ctx.shape(4), " instead of ", spec.output);
    }
  }
  ctx.add_output(ctx.dtype(0), whole);
}

KernelResult cpu_update(const KernelContext& ctx) {
  const View& in = ctx.inputs[0];
  const View& value = ctx.inputs[4];
  const View& out = ctx.outputs[0];
  if (out.data != in.data && out.size() != 0)
    std::memcpy(out.data, in.data, static_cast<size_t>(out.shape.num_bytes(dtype_size(in.dtype))));
  if (value.size() != 0) put_back(ctx, value);
  return KernelResult::ok();
}

Gradients grad_update(const GradContext& g) {
  const auto mask = [&](size_t i) { return g.attr(i).as_int(); };
  Gradients found = {{}, {}, {}, {}, {}};
  const Tensor dy = g.dy();
  if (g.needs(0)) {
    found[0] =
        tensor_strided_slice_update(dy, g.input(1), g.input(2), g.input(3), zeros_like(g.input(4)),
                                    mask(0), mask(1), mask(2), mask(3), mask(4));
  }
  if (g.needs(4)) {
    found[4] = strided_slice(dy, g.input(1), g.input(2), g.input(3), mask(0), mask(1), mask(2),
                             mask(3), mask(4));
  }
  return found;
}

// An index with its masks, and the shape that it makes of `shape`.
struct Index {
  Shape shape;
  std::vector<double> begin, end, strides;
  std::vector<SampleAttr> masks = {};
  Shape picked = {};
};

std::vector<Index> indices() {
  return {
      {{5}, {1}, {4}, {1}, {}, {3}},
      {{5}, {-1}, {0}, {-2}, {}, {2}},
      {{5}, {-100}, {100}, {2}, {}, {3}},
      {{5}, {3}, {1}, {1}, {}, {0}},
      {{5}, {0}, {0}, {-1}, {{"begin_mask", 1}, {"end_mask", 1}}, {5}},
      {{4, 3}, {1}, {3}, {1}, {}, {2, 3}},
      {{4, 3}, {2, 0}, {3, 2}, {1, 1}, {{"shrink_axis_mask", 1}}, {2}},
      {{4, 3}, {-1, 1}, {0, 2}, {1, 1}, {{"shrink_axis_mask", 3}}, {}},
      {{2, 3, 4}, {0, 1}, {0, 3}, {1, 2}, {{"ellipsis_mask", 1}}, {2, 3, 1}},
      {{2, 3, 4},
       {1, 0, 0},
       {2, 0, 1},
       {1, 1, 1},
       {{"ellipsis_mask", 2}, {"new_axis_mask", 4}},
       {1, 3, 4, 1}},
      {{2, 3},
       {0, 0, 2},
       {0, 2, 0},
       {1, 1, -1},
       {{"new_axis_mask", 1}, {"begin_mask", 2}, {"end_mask", 4}},
       {1, 2, 3}},
      {{0, 3}, {0, 1}, {5, 3}, {1, 1}, {}, {0, 2}},
  };
}

std::vector<SampleInput> bounds(const Index& index) {
  return {ints(index.begin), ints(index.end), ints(index.strides)};
}

std::vector<Sample> samples() {
  std::vector<Sample> samples;
  const auto add = [&](const Index& index, DType dtype) {
    const auto b = bounds(index);
    samples.push_back({{of(dtype, index.shape), b[0], b[1], b[2]}, index.masks});
  };
  for (const Index& index : indices()) add(index, DType::kFloat32);
  const Index columns = {{3, 4}, {0, 3}, {3, 0}, {2, -1}};
  for (DType dtype : {DType::kBFloat16, DType::kFloat64, DType::kInt64, DType::kUInt8, DType::kBool,
                      DType::kComplex64, DType::kComplex128, DType::kString}) {
    add(columns, dtype);
  }
  add({{512, 512}, {0, 0}, {512, 512}, {1, 2}}, DType::kFloat32);
  samples.back().for_speed = true;
  return samples;
}

std::vector<Sample> back_samples() {
  std::vector<Sample> samples;
  const auto add = [&](const Index& index, DType dtype) {
    const auto b = bounds(index);
    std::vector<double> dims(index.shape.begin(), index.shape.end());
    samples.push_back({{ints(dims), b[0], b[1], b[2], of(dtype, index.picked)}, index.masks});
  };
  for (const Index& index : indices()) add(index, DType::kFloat32);
  const Index columns = {{3, 4}, {0, 3}, {3, 0}, {2, -1}, {}, {2, 3}};
  for (DType dtype : {DType::kFloat16, DType::kFloat64, DType::kInt32, DType::kComplex128}) {
    add(columns, dtype);
  }
  add({{512, 512}, {0, 0}, {512, 512}, {1, 2}, {}, {512, 256}}, DType::kFloat32);
  samples.back().for_speed = true;
  return samples;
}

std::vector<Sample> update_samples() {
  std::vector<Sample> samples;
  const auto add = [&](const Index& index, DType dtype) {
    const auto b = bounds(index);
    samples.push_back(
        {{of(dtype, index.shape), b[0], b[1], b[2], of(dtype, index.picked)}, index.masks});
  };
  for (const Index& index : indices()) add(index, DType::kFloat32);
  const Index columns = {{3, 4}, {0, 3}, {3, 0}, {2, -1}, {}, {2, 3}};
  for (DType dtype : {DType::kFloat16, DType::kFloat64, DType::kInt32, DType::kBool,
                      DType::kComplex128, DType::kString}) {
    add(columns, dtype);
  }
  add({{512, 512}, {0, 0}, {512, 512}, {1, 2}, {}, {512, 256}}, DType::kFloat32);
  samples.back().for_speed = true;
  return samples;
}

}  // namespace

PEN_OP_DEF(strided_slice) = {
    .name = "StridedSlice",
    .doc = "What an index of ranges, positions, new axes and an ellipsis picks, as in NumPy.",
    .inputs = {in("input", kAnyType), host("begin", kIndexTypes), host("end", kIndexTypes),
               host("strides", kIndexTypes)},
    .attrs = {int_attr("begin_mask", 0), int_attr("end_mask", 0), int_attr("ellipsis_mask", 0),
              int_attr("new_axis_mask", 0), int_attr("shrink_axis_mask", 0)},
    .traits = {Trait::kMoves},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .saves = {.inputs = 0b1110},
    .samples = samples,
    .graph_name = {.scope = "strided_slice", .constants = "stack"},
    .operators = {{"getitem"}},
};

PEN_OP_DEF(strided_slice_grad) = {
    .name = "StridedSliceGrad",
    .doc = "Zeros of the given shape with `dy` where the index of a StridedSlice picks.",
    .inputs = {host("shape", kIndexTypes, 'W'), host("begin", kIndexTypes),
               host("end", kIndexTypes), host("strides", kIndexTypes), in("dy", kFixedTypes)},
    .attrs = {int_attr("begin_mask", 0), int_attr("end_mask", 0), int_attr("ellipsis_mask", 0),
              int_attr("new_axis_mask", 0), int_attr("shrink_axis_mask", 0)},
    .infer = infer_back,
    .cpu = cpu_back,
    .grad = grad_back,
    .saves = {.inputs = 0b1110},
    .samples = back_samples,
};

PEN_OP_DEF(tensor_strided_slice_update) = {
    .name = "TensorStridedSliceUpdate",
    .doc = "`input` with `value` in place of what the index of a StridedSlice picks.",
    .inputs = {in("input", kAnyType), host("begin", kIndexTypes), host("end", kIndexTypes),
               host("strides", kIndexTypes), in("value", kAnyType)},
    .attrs = {int_attr("begin_mask", 0), int_attr("end_mask", 0), int_attr("ellipsis_mask", 0),
              int_attr("new_axis_mask", 0), int_attr("shrink_axis_mask", 0)},
    .forwards = {{0, 0}},
    .infer = infer_update,
    .cpu = cpu_update,
    .grad = grad_update,
    .saves = {.inputs = 0b1110},
    .samples = update_samples,
};

}  // namespace penstock
