// Rank, ShapeN, EnsureShape, IdentityN, Snapshot: a tensor's shape, and checks of it.
#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

namespace penstock {
namespace {

void infer_rank(InferContext& ctx) { ctx.add_output(DType::kInt32, Shape{}); }

KernelResult cpu_rank(const KernelContext& ctx) {
  *ctx.outputs[0].as<int32_t>() = ctx.inputs[0].shape.rank();
  return KernelResult::ok();
}

Tensors shapes_of(const ComposeContext& ctx) {
  Tensors found;
  for (const Tensor& tensor : ctx.tensors_from(0)) {
    found.push_back(shape(tensor, ctx.attr(0).as_dtype()));
  }
  return found;
}

void infer_ensure(InferContext& ctx) {
  const Shape& shape = ctx.shape(0);
  const std::span<const int64_t> wanted = ctx.attr(0).as_ints();
  bool fits = !shape.has_rank() || static_cast<int64_t>(wanted.size()) == shape.rank();
  for (int i = 0; fits && i < shape.rank(); ++i) {
    const int64_t dim = wanted[static_cast<size_t>(i)];
    fits = dim == kUnknownDim || shape[i] == kUnknownDim || dim == shape[i];
  }
  if (!fits) {
    ctx.fail("Shape of tensor x ", shape, " is not compatible with expected shape ", ctx.attr(0));
  }
  Shape known = shape.has_rank() ? shape : Shape(wanted);
  for (int i = 0; i < known.rank(); ++i) {
    if (known[i] == kUnknownDim) known.set(i, wanted[static_cast<size_t>(i)]);
  }
  ctx.share_output(known);
}

void infer_same(InferContext& ctx) { ctx.share_output(ctx.shape(0)); }

Gradients grad_same(const GradContext& g) { return {g.raw_dy()}; }

void infer_all(InferContext& ctx) {
  for (size_t i = 0; i < ctx.num_inputs(); ++i) {
    ctx.share_output(ctx.shape(i), static_cast<int>(i));
  }
}

Gradients grad_all(const GradContext& g) {
  Gradients found;
  for (size_t i = 0; i < g.num_inputs(); ++i) found.push_back(g.raw_dy(i));
  return found;
}

std::vector<Sample> rank_samples() {
  return {{{f32({2, 3})}}, {{of(DType::kString, {})}}, {{of(DType::kBool, {0, 1, 2})}}};
}

std::vector<Sample> many_samples() {
  return {
      {{f32({2, 3}), of(DType::kInt64, {2}), of(DType::kString, {2, 0})}},
      {{of(DType::kFloat64, {})}},
      {{of(DType::kComplex64, {3}), f32({1, 2})}},
  };
}

std::vector<Sample> shapes_samples() {
  std::vector<Sample> samples = many_samples();
  samples.push_back({{f32({2, 3}), f32({4})}, {{"out_type", DType::kInt64}}});
  return samples;
}

std::vector<Sample> ensure_samples() {
  return {
      {{f32({2, 3})}, {{"shape", {2, 3}}}},
      {{f32({2, 3})}, {{"shape", {-1, 3}}}},
      {{of(DType::kInt64, {0})}, {{"shape", {-1}}}},
      {{of(DType::kString, {2, 1})}, {{"shape", {2, -1}}}},
      {{of(DType::kFloat64, {})}, {{"shape", std::vector<int64_t>{}}}},
  };
}

std::vector<Sample> snapshot_samples() {
  return {{{f32({2, 3})}}, {{of(DType::kInt64, {})}}, {{of(DType::kString, {2})}}};
}

}  // namespace

PEN_OP_DEF(rank) = {
    .name = "Rank",
    .doc = "The number of a tensor's axes.",
    .inputs = {in("input", kAnyType)},
    .traits = {Trait::kShapeOnly},
    .infer = infer_rank,
    .cpu = cpu_rank,
    .grad = no_gradient,
    .samples = rank_samples,
};

PEN_OP_DEF(shape_n) = {
    .name = "ShapeN",
    .doc = "The dimensions of each of several tensors.",
    .inputs = {many("input", kAnyType, kMixed)},
    .attrs = {dtype_attr("out_type", DType::kInt32)},
    .traits = {Trait::kManyOutputs},
    .infer = composed,
    .compose = shapes_of,
    .grad = no_gradient,
    .samples = shapes_samples,
};

PEN_OP_DEF(ensure_shape) = {
    .name = "EnsureShape",
    .doc = "The same tensor, whose shape must be the given one; -1 stands for any size.",
    .inputs = {in("input", kAnyType)},
    .attrs = {ints_attr("shape")},
    .traits = {Trait::kMoves, Trait::kSparseGrad},
    .infer = infer_ensure,
    .grad = grad_same,
    .samples = ensure_samples,
};

// Several inputs wait for each other: no output is available before all inputs are, and no pass
// splits them. Code that must not be merged with earlier computations (recompute_grad) relies on
// it.
PEN_OP_DEF(identity_n) = {
    .name = "IdentityN",
    .doc = "The same tensors; shares their data.",
    .inputs = {many("input", kAnyType, kMixed)},
    .traits = {Trait::kMoves, Trait::kManyOutputs, Trait::kSparseGrad},
    .infer = infer_all,
    .grad = grad_all,
    .samples = many_samples,
};

PEN_OP_DEF(snapshot) = {
    .name = "Snapshot",
    .doc = "The same tensor; as tensors never change, it shares the data.",
    .inputs = {in("input", kAnyType)},
    .traits = {Trait::kElementwise, Trait::kSparseGrad},
    .infer = infer_same,
    .grad = grad_same,
    .samples = snapshot_samples,
};

}  // namespace penstock
