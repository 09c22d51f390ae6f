// Reshape: the same data under another shape.
#include <algorithm>

#include <penstock/base/checked.h>
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

namespace penstock {
namespace {

// The product of the dimensions that are neither 0 nor -1. TensorFlow counts only these if both
// shapes are empty: [0,6] as [0,2,-1] is [0,2,3].
int64_t beside_zeros(const Shape& shape) {
  int64_t product = 1;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] > 0 && !checked_mul(product, shape[i], &product)) return 0;
  }
  return product;
}

// The wanted dimensions with a single -1 worked out from the number of elements.
void infer(InferContext& ctx) {
  bool known = false;
  const IntVector wanted = ctx.ints(1, &known);
  if (!known) return ctx.share_output(ctx.shape_value(1));
  Shape shape;
  int free_axis = -1;
  int64_t rest = 1;
  for (int64_t dim : wanted) {
    if (dim == -1 && free_axis >= 0)
      ctx.fail("only one dimension may be -1, and a second was given");
    if (dim < -1) ctx.fail("a dimension cannot be ", dim);
    if (dim == -1) {
      free_axis = shape.rank();
    } else if (!checked_mul(rest, dim, &rest)) {
      ctx.fail_size("the number of elements of the requested shape");
    }
    shape.append(dim);
  }
  if (!ctx.shape(0).is_known()) return ctx.share_output(shape);
  const int64_t count = ctx.shape(0).num_elements();
  if (free_axis >= 0) {
    if (rest == 0) {
      shape.set(free_axis, beside_zeros(ctx.shape(0)) / std::max<int64_t>(beside_zeros(shape), 1));
    } else {
      shape.set(free_axis, count / rest);
    }
    if (rest == 0 ? count != 0 : count % rest != 0) {
      ctx.fail("Input to reshape is a tensor with ", count,
               " values, but the requested shape requires a multiple of ", rest);
    }
  } else if (rest != count) {
    ctx.fail("Input to reshape is a tensor with ", count, " values, but the requested shape has ",
             rest);
  }
  ctx.share_output(shape);
}

Gradients grad(const GradContext& g) { return {reshape(g.dy(), shape_tensor(g.input(0))), {}}; }

std::vector<Sample> samples() {
  return {
      {{f32({2, 3}), ints({3, 2})}},
      {{f32({2, 3, 4}), ints({-1, 4})}},
      {{of(DType::kString, {4}), ints({2, 2})}},
      {{f32({0, 3}), ints({3, 0, 2})}},
      {{of(DType::kInt64, {}), ints({1, 1})}},
  };
}

}  // namespace

PEN_OP_DEF(reshape) = {
    .name = "Reshape",
    .doc = "The same values under another shape; one dimension may be -1.",
    .inputs = {in("tensor", kAnyType), host("shape", kIndexTypes)},
    .traits = {Trait::kMoves, Trait::kCannotFail},
    .infer = infer,
    .grad = grad,
    .samples = samples,
};

}  // namespace penstock
