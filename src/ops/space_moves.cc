// SpaceToDepth, DepthToSpace, SpaceToBatchND, BatchToSpaceND: blocks of space become channels or
// batches, and back. Each is one transpose between two reshapes.
#include <penstock/base/checked.h>
#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

#include "kernels/indices.h"

namespace penstock {
namespace {

struct Image {
  int64_t batch, height, width, depth;
  bool channels_first;
};

Image image_of(const ComposeContext& ctx) {
  const std::string_view format = ctx.attr(1).as_string();
  if (format != "NHWC" && format != "NCHW") {
    ctx.fail("data_format must be NHWC or NCHW, but is ", format);
  }
  ctx.check_rank(0, 4);
  const Shape& shape = ctx.shape(0);
  if (format == "NCHW") return {shape[0], shape[2], shape[3], shape[1], true};
  return {shape[0], shape[1], shape[2], shape[3], false};
}

int64_t block_of(const ComposeContext& ctx) {
  const int64_t block = ctx.attr(0).as_int();
  if (block < 2 || block > INT32_MAX) ctx.fail("Block size should be > 1, but was: ", block);
  return block;
}

Tensor reshaped(const Tensor& x, const Shape& shape) { return reshape(x, shape_tensor(shape)); }

Tensors space_to_depth_ops(const ComposeContext& ctx) {
  const Image image = image_of(ctx);
  const int64_t block = block_of(ctx);
  if (image.height % block != 0 || image.width % block != 0) {
    ctx.fail("Image width ", image.width, " and height ", image.height,
             " should be divisible by block_size: ", block);
  }
  int64_t depth = 0;
  if (!checked_mul(image.depth, block * block, &depth)) ctx.fail_size("the depth");
  const int64_t rows = image.height / block;
  const int64_t columns = image.width / block;
  const Tensor& x = ctx.tensor(0);
  if (image.channels_first) {
    const Tensor parts = reshaped(x, {image.batch, image.depth, rows, block, columns, block});
    return {reshaped(transpose(parts, {0, 3, 5, 1, 2, 4}), {image.batch, depth, rows, columns})};
  }
  const Tensor parts = reshaped(x, {image.batch, rows, block, columns, block, image.depth});
  return {reshaped(transpose(parts, {0, 1, 3, 2, 4, 5}), {image.batch, rows, columns, depth})};
}

Tensors depth_to_space_ops(const ComposeContext& ctx) {
  const Image image = image_of(ctx);
  const int64_t block = block_of(ctx);
  if (image.depth % (block * block) != 0) {
    ctx.fail("Input depth dimension ", image.depth, " should be divisible by: ", block * block);
  }
  const int64_t depth = image.depth / (block * block);
  int64_t height = 0;
  int64_t width = 0;
  if (!checked_mul(image.height, block, &height) || !checked_mul(image.width, block, &width)) {
    ctx.fail_size("the size of the image");
  }
  const Tensor& x = ctx.tensor(0);
  if (image.channels_first) {
    const Tensor parts = reshaped(x, {image.batch, block, block, depth, image.height, image.width});
    return {reshaped(transpose(parts, {0, 3, 4, 1, 5, 2}), {image.batch, depth, height, width})};
  }
  const Tensor parts = reshaped(x, {image.batch, image.height, image.width, block, block, depth});
  return {reshaped(transpose(parts, {0, 1, 3, 2, 4, 5}), {image.batch, height, width, depth})};
}

// block_shape and the margins (paddings or crops) of the spatial axes.
struct Blocks {
  int count = 0;
  IntVector sizes;
  IntVector before, after;
  int64_t total = 1;
};

Blocks blocks_of(const ComposeContext& ctx, std::string_view margins) {
  ctx.check_rank(1, 1);
  Blocks blocks;
  blocks.sizes = ctx.values(1);
  ctx.need_values(2);
  const Shape& shape = ctx.shape(0);
  blocks.count = static_cast<int>(blocks.sizes.size());
  if (shape.rank() < blocks.count + 1) {
    ctx.fail("input rank should be >= ", blocks.count + 1, " instead of ", shape.rank());
  }
  if (ctx.shape(2) != Shape{blocks.count, 2}) {
    ctx.fail(margins, " should have shape [", blocks.count, ", 2] instead of ", ctx.shape(2));
  }
  for (int i = 0; i < blocks.count; ++i) {
    const int64_t size = blocks.sizes[static_cast<size_t>(i)];
    if (size < 1) ctx.fail("All values in block_shape must be positive, got value, ", size);
    if (!checked_mul(blocks.total, size, &blocks.total)) ctx.fail_size("the number of blocks");
    blocks.before.push_back(kernels::index_at(ctx.input(2), 2 * i));
    blocks.after.push_back(kernels::index_at(ctx.input(2), 2 * i + 1));
    if (blocks.before.back() < 0 || blocks.after.back() < 0) {
      ctx.fail(margins, " must be non-negative");
    }
  }
  return blocks;
}

Tensor padded(const Tensor& x, const Blocks& blocks) {
  IntVector paddings = {0, 0};
  bool any = false;
  for (int i = 1; i < x.rank(); ++i) {
    const auto k = static_cast<size_t>(i - 1);
    const bool spatial = i <= blocks.count;
    paddings.push_back(spatial ? blocks.before[k] : 0);
    paddings.push_back(spatial ? blocks.after[k] : 0);
    any = any || paddings[2 * k + 2] != 0 || paddings[2 * k + 3] != 0;
  }
  if (!any) return x;
  return pad(x, Tensor::from<int64_t>(paddings, Shape{x.rank(), 2}), scalar_like(x, 0));
}

// [batch, rows, block, columns, block, …rest] to [block, block, batch, rows, columns, …rest]
Tensors space_to_batch_ops(const ComposeContext& ctx) {
  const Blocks blocks = blocks_of(ctx, "paddings");
  const Tensor x = padded(ctx.tensor(0), blocks);
  Shape parts = {x.dim(0)};
  Shape moved;
  IntVector perm;
  int64_t batch = 0;
  if (!checked_mul(x.dim(0), blocks.total, &batch)) ctx.fail_size("the batch");
  moved.append(batch);
  for (int i = 0; i < blocks.count; ++i) perm.push_back(2 * i + 2);
  perm.push_back(0);
  for (int i = 0; i < blocks.count; ++i) {
    const int64_t size = blocks.sizes[static_cast<size_t>(i)];
    if (x.dim(i + 1) % size != 0) {
      ctx.fail("padded_shape[", i, "]=", x.dim(i + 1), " is not divisible by block_shape[", i,
               "]=", size);
    }
    parts.append(x.dim(i + 1) / size);
    parts.append(size);
    moved.append(x.dim(i + 1) / size);
    perm.push_back(2 * i + 1);
  }
  for (int i = blocks.count + 1; i < x.rank(); ++i) {
    parts.append(x.dim(i));
    moved.append(x.dim(i));
    perm.push_back(parts.rank() - 1);
  }
  return {reshaped(transpose(reshaped(x, parts), std::span<const int64_t>(perm)), moved)};
}

// [block, block, batch, rows, columns, …rest] to [batch, rows, block, columns, block, …rest]
Tensors batch_to_space_ops(const ComposeContext& ctx) {
  const Blocks blocks = blocks_of(ctx, "crops");
  const Tensor& x = ctx.tensor(0);
  if (x.dim(0) % blocks.total != 0) {
    ctx.fail("Input batch dimension (", x.dim(0), ") is not divisible by product of block sizes (",
             blocks.total, ")");
  }
  const int64_t batch = x.dim(0) / blocks.total;
  Shape parts;
  for (int64_t size : blocks.sizes) parts.append(size);
  parts.append(batch);
  Shape moved = {batch};
  Shape begin = {0};
  Shape kept = {batch};
  IntVector perm = {blocks.count};
  for (int i = 1; i < x.rank(); ++i) {
    const auto k = static_cast<size_t>(i - 1);
    parts.append(x.dim(i));
    perm.push_back(blocks.count + i);
    if (i > blocks.count) {
      moved.append(x.dim(i));
      begin.append(0);
      kept.append(x.dim(i));
      continue;
    }
    perm.push_back(i - 1);
    int64_t size = 0;
    if (!checked_mul(x.dim(i), blocks.sizes[k], &size)) ctx.fail_size("axis ", i);
    const int64_t left = size - blocks.before[k];
    if (left < 0 || left < blocks.after[k]) {
      ctx.fail("cropped_shape[", k, "] is negative: ", size, " cropped by ", blocks.before[k],
               " and ", blocks.after[k]);
    }
    moved.append(size);
    begin.append(blocks.before[k]);
    kept.append(left - blocks.after[k]);
  }
  const Tensor whole =
      reshaped(transpose(reshaped(x, parts), std::span<const int64_t>(perm)), moved);
  if (kept == moved) return {whole};
  return {slice(whole, shape_tensor(begin), shape_tensor(kept))};
}

std::vector<Sample> to_depth_samples() {
  std::vector<Sample> samples = {
      {{f32({1, 4, 6, 3})}, {{"block_size", 2}}},
      {{f32({2, 1, 4, 4})}, {{"block_size", 2}, {"data_format", "NCHW"}}},
      {{f32({1, 3, 3, 1})}, {{"block_size", 3}}},
      {{f32({0, 2, 2, 1})}, {{"block_size", 2}}},
  };
  for (DType dtype : {DType::kBFloat16, DType::kFloat64, DType::kInt32, DType::kUInt8,
                      DType::kComplex64, DType::kString}) {
    samples.push_back({{of(dtype, {1, 2, 4, 2})}, {{"block_size", 2}}});
  }
  samples.push_back({{f32({8, 64, 64, 16})}, {{"block_size", 2}}, 0, true, true});
  return samples;
}

std::vector<Sample> to_space_samples() {
  std::vector<Sample> samples = {
      {{f32({1, 2, 3, 8})}, {{"block_size", 2}}},
      {{f32({2, 4, 2, 2})}, {{"block_size", 2}, {"data_format", "NCHW"}}},
      {{f32({1, 1, 1, 9})}, {{"block_size", 3}}},
      {{f32({0, 2, 2, 4})}, {{"block_size", 2}}},
  };
  for (DType dtype : {DType::kFloat16, DType::kFloat64, DType::kInt64, DType::kUInt8, DType::kBool,
                      DType::kComplex128, DType::kString}) {
    samples.push_back({{of(dtype, {1, 2, 1, 4})}, {{"block_size", 2}}});
  }
  samples.push_back({{f32({8, 32, 32, 64})}, {{"block_size", 2}}, 0, true, true});
  return samples;
}

SampleInput pairs(std::vector<double> values) {
  const auto rows = static_cast<int64_t>(values.size()) / 2;
  return given(DType::kInt32, {rows, 2}, std::move(values));
}

std::vector<Sample> to_batch_samples() {
  std::vector<Sample> samples = {
      {{f32({1, 4, 4, 1}), ints({2, 2}), pairs({0, 0, 0, 0})}},
      {{f32({2, 3, 4, 2}), ints({2, 3}), pairs({1, 0, 2, 0})}},
      {{f32({2, 5}), ints({3}), pairs({0, 1})}},
      {{f32({2, 3}), ints({}), pairs({})}},
      {{f32({0, 4}), given(DType::kInt64, {1}, {2}), given(DType::kInt64, {1, 2}, {0, 0})}},
  };
  for (DType dtype : {DType::kFloat16, DType::kFloat64, DType::kInt64, DType::kUInt8, DType::kBool,
                      DType::kComplex64}) {
    samples.push_back({{of(dtype, {1, 3, 2}), ints({2}), pairs({0, 1})}});
  }
  samples.push_back({{f32({8, 64, 64, 16}), ints({2, 2}), pairs({0, 0, 0, 0})}, {}, 0, true, true});
  return samples;
}

std::vector<Sample> from_batch_samples() {
  std::vector<Sample> samples = {
      {{f32({4, 2, 2, 1}), ints({2, 2}), pairs({0, 0, 0, 0})}},
      {{f32({12, 2, 2, 1}), ints({2, 3}), pairs({1, 0, 2, 1})}},
      {{f32({6, 2}), ints({3}), pairs({0, 1})}},
      {{f32({2, 3}), ints({}), pairs({})}},
      {{f32({0, 4}), given(DType::kInt64, {1}, {2}), given(DType::kInt64, {1, 2}, {0, 0})}},
  };
  for (DType dtype : {DType::kBFloat16, DType::kFloat64, DType::kInt32, DType::kUInt8, DType::kBool,
                      DType::kComplex128, DType::kString}) {
    samples.push_back({{of(dtype, {2, 2, 2}), ints({2}), pairs({0, 1})}});
  }
  samples.push_back(
      {{f32({32, 32, 32, 16}), ints({2, 2}), pairs({0, 0, 0, 0})}, {}, 0, true, true});
  return samples;
}

}  // namespace

PEN_OP_DEF(space_to_depth) = {
    .name = "SpaceToDepth",
    .doc = "An image whose blocks of block_size by block_size have become channels.",
    .inputs = {in("input", kAnyType)},
    .attrs = {int_attr("block_size"), string_attr("data_format", "NHWC")},
    .infer = composed,
    .compose = space_to_depth_ops,
    .grad = composed_gradient,
    .samples = to_depth_samples,
};

PEN_OP_DEF(depth_to_space) = {
    .name = "DepthToSpace",
    .doc = "An image whose channels have become blocks of block_size by block_size.",
    .inputs = {in("input", kAnyType)},
    .attrs = {int_attr("block_size"), string_attr("data_format", "NHWC")},
    .infer = composed,
    .compose = depth_to_space_ops,
    .grad = composed_gradient,
    .samples = to_space_samples,
};

PEN_OP_DEF(space_to_batch) = {
    .name = "SpaceToBatchND",
    .doc = "Blocks of the axes after the first, padded with zeros, as further batches.",
    .inputs = {in("input", kFixedTypes), host("block_shape", kIndexTypes, 'B'),
               host("paddings", kIndexTypes, 'P')},
    .infer = composed,
    .compose = space_to_batch_ops,
    .grad = composed_gradient,
    .samples = to_batch_samples,
};

PEN_OP_DEF(batch_to_space) = {
    .name = "BatchToSpaceND",
    .doc = "Batches as blocks of the axes after the first, cropped: SpaceToBatchND undone.",
    .inputs = {in("input", kAnyType), host("block_shape", kIndexTypes, 'B'),
               host("crops", kIndexTypes, 'C')},
    .infer = composed,
    .compose = batch_to_space_ops,
    .grad = composed_gradient,
    .samples = from_batch_samples,
};

}  // namespace penstock
