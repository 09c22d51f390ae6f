// ScatterNd and TensorScatterAdd, -Sub, -Update, -Min, -Max: writes values at coordinates.
#include <cstring>

#include <penstock/memory/strings.h>
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/move.h"
#include "kernels/scatter.h"

namespace penstock {
namespace {

// updates.shape = indices.shape[:-1] + whole[depth:], where depth is indices' last dimension.
void check_shapes(const InferContext& ctx, const Shape& whole, const Shape& indices,
                  const Shape& updates) {
  if (!whole.is_known() || !indices.is_known() || !updates.is_known()) return;
  if (indices.rank() == 0) ctx.fail("Indices shape must have rank at least one. Found: ", indices);
  const int last = indices.rank() - 1;
  if (indices[last] > whole.rank()) {
    ctx.fail("The last dimension of indices, ", indices[last],
             ", must not be greater than the rank of the output, whose shape is ", whole);
  }
  const auto depth = static_cast<int>(indices[last]);
  bool fits = updates.rank() == last + whole.rank() - depth;
  for (int i = 0; fits && i < updates.rank(); ++i) {
    fits = updates[i] == (i < last ? indices[i] : whole[depth + i - last]);
  }
  if (!fits) {
    ctx.fail("updates of shape ", updates, " do not go with indices of shape ", indices,
             " and an output of shape ", whole,
             ": they must be of the shape indices.shape[:-1] + output.shape[indices.shape[-1]:]");
  }
}

// Checks the indices, lets `prepare` set up the output, and combines the updates into it.
template <typename Prepare>
KernelResult run(kernels::Combine combine, const View& indices, const View& updates,
                 const View& out, const Prepare& prepare) {
  const auto rows = kernels::Coordinates::into(out.shape, indices);
  if (const auto bad = rows.find_bad(); bad.at >= 0) {
    return KernelResult::invalid("indices[{}] = {} is not in [0, {})", bad.at, bad.value,
                                 bad.limit);
  }
  if (out.size() == 0) return KernelResult::ok();
  prepare();
  if (updates.size() == 0) return KernelResult::ok();
  const int rank = out.shape.rank();
  kernels::scatter(combine, rows, updates, out, kernels::product(out.shape, 0, rows.depth),
                   kernels::product(out.shape, rows.depth, rank));
  return KernelResult::ok();
}

size_t bytes_of(const View& view) {
  return static_cast<size_t>(view.shape.num_bytes(dtype_size(view.dtype)));
}

void infer_scatter_nd(InferContext& ctx) {
  ctx.check_rank(2, 1);
  const Shape shape = ctx.shape_value(2);
  check_shapes(ctx, shape, ctx.shape(0), ctx.shape(1));
  ctx.add_output(ctx.dtype(1), shape);
}

// Strings at the same position are concatenated, in the order of the updates.
KernelResult scatter_strings(const View& indices, const View& updates, const View& out) {
  const auto rows = kernels::Coordinates::into(out.shape, indices);
  if (const auto bad = rows.find_bad(); bad.at >= 0) {
    return KernelResult::invalid("indices[{}] = {} is not in [0, {})", bad.at, bad.value,
                                 bad.limit);
  }
  if (updates.size() == 0) return KernelResult::ok();
  const int64_t width = kernels::product(out.shape, rows.depth, out.shape.rank());
  for (int64_t i = 0; i < rows.count * width; ++i) {
    const StringRef& update = updates.as<StringRef>()[i];
    StringRef& place = out.as<StringRef>()[rows.row(i / width) * width + i % width];
    const std::string_view before = string_text(place);
    if (before.empty()) {
      retain_strings({&update, 1});
      place = update;
      continue;
    }
    const std::string_view added = string_text(update);
    char* to = nullptr;
    const StringRef both = make_string(before.size() + added.size(), &to);
    std::memcpy(to, before.data(), before.size());
    if (!added.empty()) std::memcpy(to + before.size(), added.data(), added.size());
    release_strings({&place, 1});
    place = both;
  }
  return KernelResult::ok();
}

KernelResult cpu_scatter_nd(const KernelContext& ctx) {
  const View& out = ctx.outputs[0];
  if (out.dtype == DType::kString) return scatter_strings(ctx.inputs[0], ctx.inputs[1], out);
  return run(kernels::Combine::kAdd, ctx.inputs[0], ctx.inputs[1], out,
             [&] { std::memset(out.data, 0, bytes_of(out)); });
}

Gradients grad_scatter_nd(const GradContext& g) { return {{}, gather_nd(g.dy(), g.input(0)), {}}; }

void infer_tensor_scatter(InferContext& ctx) {
  check_shapes(ctx, ctx.shape(0), ctx.shape(1), ctx.shape(2));
  ctx.add_output(ctx.dtype(0), ctx.shape(0));
}

template <kernels::Combine kCombine>
KernelResult cpu_tensor_scatter(const KernelContext& ctx) {
  const View& tensor = ctx.inputs[0];
  const View& out = ctx.outputs[0];
  return run(kCombine, ctx.inputs[1], ctx.inputs[2], out, [&] {
    if (out.data != tensor.data) std::memcpy(out.data, tensor.data, bytes_of(out));
  });
}

Gradients grad_add(const GradContext& g) {
  const Tensor dy = g.dy();
  return {dy, {}, g.needs(2) ? Gradient(gather_nd(dy, g.input(1))) : Gradient()};
}

Gradients grad_sub(const GradContext& g) {
  const Tensor dy = g.dy();
  return {dy, {}, g.needs(2) ? Gradient(negative(gather_nd(dy, g.input(1)))) : Gradient()};
}

Gradients grad_update(const GradContext& g) {
  const Tensor dy = g.dy();
  const Tensor& indices = g.input(1);
  Gradients found = {{}, {}, {}};
  if (g.needs(0)) found[0] = tensor_scatter_update(dy, indices, zeros_like(g.input(2)));
  if (g.needs(2)) found[2] = gather_nd(dy, indices);
  return found;
}

// The extremum receives dy; equal elements share it.
Gradients grad_extremum(const GradContext& g) {
  const Tensor& tensor = g.input(0);
  const Tensor& indices = g.input(1);
  const Tensor& updates = g.input(2);
  const DType dtype = tensor.dtype();
  const Tensor from_tensor = cast(equal(tensor, g.output()), dtype);
  const Tensor from_updates = cast(equal(updates, gather_nd(g.output(), indices)), dtype);
  const Tensor givers = from_tensor + scatter_nd(indices, from_updates, shape_tensor(tensor));
  const Tensor share = g.dy() / givers;
  Gradients found = {{}, {}, {}};
  if (g.needs(0)) found[0] = share * from_tensor;
  if (g.needs(2)) found[2] = gather_nd(share, indices) * from_updates;
  return found;
}

SampleInput pairs(std::vector<double> values) {
  const auto rows = static_cast<int64_t>(values.size()) / 2;
  return given(DType::kInt32, {rows, 2}, std::move(values));
}
SampleInput column(DType dtype, std::vector<double> values) {
  const auto rows = static_cast<int64_t>(values.size());
  return given(dtype, {rows, 1}, std::move(values));
}

// For sums: coordinates may repeat.
std::vector<Sample> scatter_nd_samples() {
  std::vector<Sample> samples = {
      {{column(DType::kInt32, {4, 1, 4}), f32({3}), ints({6})}},
      {{column(DType::kInt64, {1, 0}), f32({2, 3}), ints({3, 3})}},
      {{pairs({1, 2, 0, 0, 1, 2}), f32({3}), given(DType::kInt64, {2}, {2, 3})}},
      {{given(DType::kInt32, {1, 2, 1}, {1, 2}), f32({1, 2, 2}), ints({3, 2})}},
      {{i32({0, 1}), f32({0, 2}), ints({3, 2})}},
      {{i32({2, 0}), f32({2, 3}), ints({3})}},
  };
  for (DType dtype :
       {DType::kFloat16, DType::kBFloat16, DType::kFloat64, DType::kInt32, DType::kInt64,
        DType::kUInt8, DType::kBool, DType::kComplex128, DType::kString}) {
    samples.push_back({{column(DType::kInt32, {2, 0, 2}), of(dtype, {3, 2}), ints({3, 2})}});
  }
  samples.push_back(
      {{i32({4096, 1}, 0, 1024), f32({4096, 64}), ints({1024, 64})}, {}, 0, true, true});
  return samples;
}

std::vector<Sample> sum_samples() {
  std::vector<Sample> samples = {
      {{f32({6}), column(DType::kInt32, {4, 1, 4}), f32({3})}},
      {{f32({3, 3}), column(DType::kInt64, {1, 0}), f32({2, 3})}},
      {{f32({2, 3}), pairs({1, 2, 0, 0, 1, 2}), f32({3})}},
      {{f32({3}), i32({2, 0}), f32({2, 3})}},
      {{f32({3}), i32({0, 1}), f32({0})}},
      {{f32({3, 0}), column(DType::kInt32, {1}), f32({1, 0})}},
  };
  for (DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kFloat64, DType::kInt32,
                      DType::kInt64, DType::kUInt8, DType::kComplex64}) {
    samples.push_back({{of(dtype, {3, 2}), column(DType::kInt32, {2, 0, 2}), of(dtype, {3, 2})}});
  }
  samples.push_back(
      {{f32({1024, 64}), i32({4096, 1}, 0, 1024), f32({4096, 64})}, {}, 0, true, true});
  return samples;
}

// For updates: the gradient exists only where no coordinate repeats.
std::vector<Sample> update_samples() {
  std::vector<Sample> samples = {
      {{f32({6}), column(DType::kInt32, {4, 1, 3}), f32({3})}},
      {{f32({6}), column(DType::kInt32, {4, 1, 4}), f32({3})}, {}, 0, false},
      {{f32({3, 3}), column(DType::kInt64, {1, 0}), f32({2, 3})}},
      {{f32({2, 3}), pairs({1, 2, 0, 0}), f32({2})}},
      {{f32({3}), i32({0, 1}), f32({0})}},
  };
  for (DType dtype : {DType::kBFloat16, DType::kFloat64, DType::kInt32, DType::kUInt8, DType::kBool,
                      DType::kComplex64, DType::kString}) {
    samples.push_back({{of(dtype, {3, 2}), column(DType::kInt32, {2, 0}), of(dtype, {2, 2})}});
  }
  samples.push_back(
      {{f32({1024, 64}), i32({512, 1}, 0, 1024), f32({512, 64})}, {}, 0, false, true});
  return samples;
}

SampleInput apart(DType dtype, Shape shape, double low) {
  SampleInput input = of(dtype, shape, low, low + 3);
  input.distinct = true;
  return input;
}

// Values far enough from each other for differences.
std::vector<Sample> extremum_samples() {
  const auto f = DType::kFloat32;
  std::vector<Sample> samples = {
      {{apart(f, {6}, 0), column(DType::kInt32, {4, 1, 4}), apart(f, {3}, 0.2)}},
      {{apart(f, {3, 3}, 0), column(DType::kInt64, {1, 0}), apart(f, {2, 3}, 0.1)}},
      {{apart(f, {2, 3}, 0), pairs({1, 2, 0, 0, 1, 2}), apart(f, {3}, 0.2)}},
      {{given(f, {3}, {1, 2, 3}), column(DType::kInt32, {1, 1}), given(f, {2}, {2, 2})},
       {},
       0,
       false},
      {{f32({3}), i32({0, 1}), f32({0})}},
  };
  for (DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kFloat64, DType::kInt32,
                      DType::kInt64, DType::kUInt8}) {
    samples.push_back(
        {{apart(dtype, {3, 2}, 0), column(DType::kInt32, {2, 0, 2}), apart(dtype, {3, 2}, 1.1)}});
  }
  samples.push_back(
      {{f32({1024, 64}), i32({4096, 1}, 0, 1024), f32({4096, 64})}, {}, 0, true, true});
  return samples;
}

}  // namespace

PEN_OP_DEF(scatter_nd) = {
    .name = "ScatterNd",
    .doc = "Zeros, or empty strings, of the given shape with `updates` added at `indices`.",
    .inputs = {in("indices", kIndexTypes, 'I'), in("updates", kAnyType),
               host("shape", kIndexTypes)},
    .traits = {Trait::kMakesStrings},
    .infer = infer_scatter_nd,
    .cpu = cpu_scatter_nd,
    .grad = grad_scatter_nd,
    .saves = {.inputs = 1 << 0},
    .samples = scatter_nd_samples,
};

PEN_OP_DEF(tensor_scatter_add) = {
    .name = "TensorScatterAdd",
    .doc = "`tensor` with `updates` added at `indices`, whose last axis holds coordinates.",
    .inputs = {in("tensor", kNumberTypes), in("indices", kIndexTypes, 'I'),
               in("updates", kNumberTypes)},
    .forwards = {{0, 0}},
    .infer = infer_tensor_scatter,
    .cpu = cpu_tensor_scatter<kernels::Combine::kAdd>,
    .grad = grad_add,
    .saves = {.inputs = 1 << 1},
    .samples = sum_samples,
};

PEN_OP_DEF(tensor_scatter_sub) = {
    .name = "TensorScatterSub",
    .doc = "`tensor` with `updates` subtracted at `indices`, whose last axis holds coordinates.",
    .inputs = {in("tensor", kNumberTypes), in("indices", kIndexTypes, 'I'),
               in("updates", kNumberTypes)},
    .forwards = {{0, 0}},
    .infer = infer_tensor_scatter,
    .cpu = cpu_tensor_scatter<kernels::Combine::kSubtract>,
    .grad = grad_sub,
    .saves = {.inputs = 1 << 1},
    .samples = sum_samples,
};

PEN_OP_DEF(tensor_scatter_update) = {
    .name = "TensorScatterUpdate",
    .doc = "`tensor` with `updates` in place of what is at `indices`; later ones win.",
    .inputs = {in("tensor", kAnyType), in("indices", kIndexTypes, 'I'), in("updates", kAnyType)},
    .forwards = {{0, 0}},
    .infer = infer_tensor_scatter,
    .cpu = cpu_tensor_scatter<kernels::Combine::kUpdate>,
    .grad = grad_update,
    .saves = {.inputs = 1 << 1},
    .samples = update_samples,
};

PEN_OP_DEF(tensor_scatter_min) = {
    .name = "TensorScatterMin",
    .doc = "`tensor` with, at `indices`, the smaller of its own values and `updates`.",
    .inputs = {in("tensor", kRealTypes), in("indices", kIndexTypes, 'I'),
               in("updates", kRealTypes)},
    .forwards = {{0, 0}},
    .infer = infer_tensor_scatter,
    .cpu = cpu_tensor_scatter<kernels::Combine::kMin>,
    .grad = grad_extremum,
    .saves = {.inputs = kAll, .outputs = kAll},
    .samples = extremum_samples,
};

PEN_OP_DEF(tensor_scatter_max) = {
    .name = "TensorScatterMax",
    .doc = "`tensor` with, at `indices`, the larger of its own values and `updates`.",
    .inputs = {in("tensor", kRealTypes), in("indices", kIndexTypes, 'I'),
               in("updates", kRealTypes)},
    .forwards = {{0, 0}},
    .infer = infer_tensor_scatter,
    .cpu = cpu_tensor_scatter<kernels::Combine::kMax>,
    .grad = grad_extremum,
    .saves = {.inputs = kAll, .outputs = kAll},
    .samples = extremum_samples,
};

}  // namespace penstock
