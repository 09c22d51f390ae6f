// DynamicPartition: distributes rows over several tensors. DynamicStitch: the reverse.
#include <algorithm>
#include <cstring>

#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

#include "kernels/indices.h"
#include "kernels/move.h"

namespace penstock {
namespace {

bool starts_with(const Shape& whole, const Shape& start) {
  bool fits = start.rank() <= whole.rank();
  for (int i = 0; fits && i < start.rank(); ++i) fits = start[i] == whole[i];
  return fits;
}

// A part's rows: their number is known only from the values of `partitions`.
Shape part_shape(const Shape& data, const Shape& partitions, int64_t rows) {
  Shape shape = {rows};
  for (int i = partitions.rank(); i < data.rank(); ++i) shape.append(data[i]);
  return shape;
}

void infer_partition(InferContext& ctx) {
  const Shape& data = ctx.shape(0);
  const View& partitions = ctx.input(1);
  const int64_t num = ctx.attr(0).as_int();
  constexpr int64_t kMost = 1 << 20;
  if (num < 1 || num > kMost) ctx.fail("num_partitions must be in [1, ", kMost, "], but is ", num);
  if (!data.is_known() || !partitions.shape.is_known()) {
    const bool has_ranks = data.has_rank() && partitions.shape.has_rank();
    const Shape unknown =
        has_ranks ? part_shape(data, partitions.shape, kUnknownDim) : Shape::unknown_rank();
    for (int64_t i = 0; i < num; ++i) ctx.add_output(ctx.dtype(0), unknown);
    return;
  }
  if (!starts_with(data, partitions.shape)) {
    ctx.fail("data.shape must start with partitions.shape, got data.shape = ", data,
             ", partitions.shape = ", partitions.shape);
  }
  if (partitions.data == nullptr) {
    const Shape unknown = part_shape(data, partitions.shape, kUnknownDim);
    for (int64_t i = 0; i < num; ++i) ctx.add_output(ctx.dtype(0), unknown);
    return;
  }
  IntVector rows;
  for (int64_t i = 0; i < num; ++i) rows.push_back(0);
  const int64_t count = partitions.size();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t part = kernels::index_at(partitions, i);
    if (part < 0 || part >= num) {
      ctx.fail("partitions[", i, "] = ", part, " is not in [0, ", num, ")");
    }
    ++rows[static_cast<size_t>(part)];
  }
  for (int64_t each : rows) ctx.add_output(ctx.dtype(0), part_shape(data, partitions.shape, each));
  ctx.set_scratch(num, sizeof(int64_t));
}

KernelResult cpu_partition(const KernelContext& ctx) {
  const View& data = ctx.inputs[0];
  const View& partitions = ctx.inputs[1];
  if (data.size() == 0) return KernelResult::ok();
  const int64_t bytes = kernels::product(data.shape, partitions.shape.rank(), data.shape.rank()) *
                        static_cast<int64_t>(dtype_size(data.dtype));
  auto* filled = static_cast<int64_t*>(ctx.scratch);
  std::fill_n(filled, ctx.outputs.size(), 0);
  const int64_t count = partitions.size();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t part = kernels::index_at(partitions, i);
    char* to = ctx.outputs[static_cast<size_t>(part)].as<char>() + filled[part]++ * bytes;
    std::memcpy(to, data.as<char>() + i * bytes, static_cast<size_t>(bytes));
  }
  return KernelResult::ok();
}

// Partitions the row numbers like the rows, and scatters the gradients back there.
Gradients grad_partition(const GradContext& g) {
  const Shape& data = g.input(0).shape();
  const Tensor& partitions = g.input(1);
  const int64_t count = partitions.num_elements();
  if (g.input(0).num_elements() == 0) return {zeros_like(g.input(0)), {}};
  const auto number = [](int64_t value) {
    return Tensor::scalar(DType::kInt64, static_cast<double>(value));
  };
  const Tensor rows = range(number(0), number(count), number(1));
  const Tensors places =
      dynamic_partition(rows, reshape(partitions, shape_tensor(Shape{count})), g.attr(0).as_int());
  const Shape flat = part_shape(data, partitions.shape(), count);
  Tensor dx = zeros(g.input(0).dtype(), flat);
  for (size_t i = 0; i < places.size(); ++i) {
    const int64_t size = places[i].num_elements();
    if (size == 0) continue;
    dx = tensor_scatter_update(std::move(dx), reshape(places[i], shape_tensor(Shape{size, 1})),
                               g.dy(i));
  }
  return {reshape(dx, shape_tensor(data)), {}};
}

// The largest index plus one; kUnknownDim if not all indices are known.
int64_t stitched_rows(const InferContext& ctx) {
  int64_t rows = 0;
  for (size_t i = 0; i < ctx.num_inputs(); i += 2) {
    const View& indices = ctx.input(i);
    if (indices.dtype != DType::kInt32) ctx.fail_type("indices must be int32");
    if (indices.data == nullptr || !indices.shape.is_known()) return kUnknownDim;
    const int64_t count = indices.size();
    for (int64_t k = 0; k < count; ++k) {
      const int64_t row = indices.as<int32_t>()[k];
      if (row < 0) ctx.fail("indices[", i / 2, "] has the negative index ", row);
      rows = std::max(rows, row + 1);
    }
  }
  return rows;
}

// The known part of the result with open sizes: rows have the sizes of any data's rows.
Shape open_stitch(const InferContext& ctx) {
  Shape shape = Shape::unknown_rank();
  for (size_t i = 0; i < ctx.num_inputs(); i += 2) {
    const Shape &indices = ctx.shape(i), &data = ctx.shape(i + 1);
    if (!indices.has_rank() || !data.has_rank()) continue;
    const Shape part = part_shape(data, indices, kUnknownDim);
    if (!shape.has_rank()) shape = part;
    for (int axis = 1; axis < shape.rank() && shape.rank() == part.rank(); ++axis) {
      if (shape[axis] == kUnknownDim) shape.set(axis, part[axis]);
    }
  }
  if (shape.has_rank()) shape.set(0, stitched_rows(ctx));
  return shape;
}

// The rows of data i are named by indices i; the inputs take turns.
void infer_stitch(InferContext& ctx) {
  if (ctx.num_inputs() % 2 != 0) ctx.fail("needs as many indices as data");
  for (size_t i = 0; i < ctx.num_inputs(); ++i) {
    if (!ctx.shape(i).is_known()) return ctx.add_output(ctx.dtype(1), open_stitch(ctx));
  }
  const Shape& first = ctx.shape(1);
  const int64_t rows = stitched_rows(ctx);
  for (size_t i = 0; i < ctx.num_inputs(); i += 2) {
    const View& indices = ctx.input(i);
    const Shape& data = ctx.shape(i + 1);
    if (ctx.dtype(i + 1) != ctx.dtype(1)) {
      ctx.fail_type("data must be of one dtype, but are ", ctx.dtype(1), " and ", ctx.dtype(i + 1));
    }
    if (!starts_with(data, indices.shape)) {
      ctx.fail("data[", i / 2, "].shape = ", data, " does not start with indices[", i / 2,
               "].shape = ", indices.shape);
    }
    if (part_shape(data, indices.shape, 0) != part_shape(first, ctx.shape(0), 0)) {
      ctx.fail("Need data[0].shape[", ctx.shape(0).rank(), ":] = data[", i / 2, "].shape[",
               indices.shape.rank(), ":], got data[0].shape = ", first, ", data[", i / 2,
               "].shape = ", data);
    }
  }
  ctx.add_output(ctx.dtype(1), part_shape(first, ctx.shape(0), rows));
}

KernelResult cpu_stitch(const KernelContext& ctx) {
  const View& out = ctx.outputs[0];
  if (out.size() == 0) return KernelResult::ok();
  const int64_t bytes = kernels::product(out.shape, 1, out.shape.rank()) *
                        static_cast<int64_t>(dtype_size(out.dtype));
  std::memset(out.data, 0, static_cast<size_t>(out.shape[0] * bytes));  // rows without an index
  for (size_t i = 0; i < ctx.inputs.size(); i += 2) {
    const View& indices = ctx.inputs[i];
    const int64_t count = indices.size();
    for (int64_t k = 0; k < count; ++k) {
      std::memcpy(out.as<char>() + indices.as<int32_t>()[k] * bytes,
                  ctx.inputs[i + 1].as<char>() + k * bytes, static_cast<size_t>(bytes));
    }
  }
  return KernelResult::ok();
}

Gradients grad_stitch(const GradContext& g) {
  Gradients found;
  const Tensor dy = g.dy();
  for (size_t i = 0; i < g.num_inputs(); i += 2) {
    found.push_back({});
    found.push_back(g.needs(i + 1) ? Gradient(gather(dy, g.input(i))) : Gradient());
  }
  return found;
}

Tensors compose_stitch(const ComposeContext& ctx) { return {dynamic_stitch(ctx.tensors_from(0))}; }

std::vector<Sample> partition_samples() {
  const SampleInput parts = ints({0, 2, 0, 2});
  std::vector<Sample> samples = {
      {{f32({4}), parts}, {{"num_partitions", 3}}},
      {{f32({4, 2}), parts}, {{"num_partitions", 4}}},
      {{f32({2, 2, 3}), given(DType::kInt32, {2, 2}, {1, 0, 1, 1})}, {{"num_partitions", 2}}},
      {{f32({3}), given(DType::kInt32, {}, {1})}, {{"num_partitions", 2}}},
      {{f32({0, 2}), i32({0})}, {{"num_partitions", 2}}},
  };
  for (DType dtype : {DType::kFloat16, DType::kFloat64, DType::kInt64, DType::kUInt8, DType::kBool,
                      DType::kComplex64, DType::kString}) {
    samples.push_back({{of(dtype, {4, 2}), parts}, {{"num_partitions", 3}}});
  }
  samples.push_back({{f32({4096, 64}), i32({4096}, 0, 4)}, {{"num_partitions", 4}}, 0, true, true});
  return samples;
}

std::vector<Sample> stitch_samples() {
  std::vector<Sample> samples = {
      {{ints({0, 2}), f32({2, 3}), ints({1}), f32({1, 3})}},
      {{given(DType::kInt32, {}, {4}), f32({2}), given(DType::kInt32, {2, 2}, {3, 0, 1, 2}),
        f32({2, 2, 2})}},
      {{ints({0, 1, 0}), f32({3})}, {}, 0, false},
      {{i32({0}), f32({0, 2})}},
      {{i32({0}), f32({0, 2}), ints({1, 0}), f32({2, 2})}},
  };
  for (DType dtype : {DType::kFloat16, DType::kFloat64, DType::kInt64, DType::kUInt8, DType::kBool,
                      DType::kComplex64, DType::kString}) {
    samples.push_back({{ints({0, 2}), of(dtype, {2}), ints({1}), of(dtype, {1})}});
  }
  samples.push_back({{i32({4096}, 0, 4096), f32({4096, 64})}, {}, 0, true, true});
  return samples;
}

}  // namespace

PEN_OP_DEF(dynamic_partition) = {
    .name = "DynamicPartition",
    .doc = "The rows of `data` dealt out into num_partitions tensors, as `partitions` says.",
    .inputs = {in("data", kAnyType), host("partitions", DType::kInt32, 'P')},
    .attrs = {int_attr("num_partitions")},
    .outputs = {"outputs"},
    .traits = {Trait::kManyOutputs},
    .infer = infer_partition,
    .cpu = cpu_partition,
    .grad = grad_partition,
    .saves = {.inputs = 0b10},
    .samples = partition_samples,
};

PEN_OP_DEF(dynamic_stitch) = {
    .name = "DynamicStitch",
    .doc =
        "One tensor of the rows of several: indices and data take turns, and row k of data i "
        "becomes row indices i[k]; of several rows for one place the last one counts.",
    .inputs = {many("indices_and_data", kAnyType, kMixed)},
    .outputs = {"merged"},
    .infer = infer_stitch,
    .cpu = cpu_stitch,
    .grad = grad_stitch,
    .saves = {.inputs = 0xD5555555},  // the indices, and from the 32nd on all
    .samples = stitch_samples,
};

PEN_OP_DEF(parallel_dynamic_stitch) = {
    .name = "ParallelDynamicStitch",
    .doc = "DynamicStitch, for indices that do not repeat.",
    .inputs = {many("indices_and_data", kAnyType, kMixed)},
    .outputs = {"merged"},
    .traits = {Trait::kComposesOpen},
    .infer = composed,
    .compose = compose_stitch,
    .grad = composed_gradient,
    .samples = stitch_samples,
};

}  // namespace penstock
