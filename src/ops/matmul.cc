// MatMul: products of matrices, over batch dimensions that broadcast.
#include <algorithm>

#include <penstock/base/threads.h>
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/formula.h"
#include "kernels/gemm.h"

namespace penstock {
namespace {

// How an operand enters the product. `transpose` and `adjoint` each swap rows and columns, and
// `adjoint` conjugates; both together only conjugate.
struct Form {
  bool swapped, conjugate;
};
struct Forms {
  Form a, b;
};
Forms forms(Attrs attrs) {
  const bool adjoint_a = attrs[2].as_bool(), adjoint_b = attrs[3].as_bool();
  return {{attrs[0].as_bool() != adjoint_a, adjoint_a},
          {attrs[1].as_bool() != adjoint_b, adjoint_b}};
}

int64_t rows(const Shape& shape, Form form) { return shape[shape.rank() - (form.swapped ? 1 : 2)]; }
int64_t cols(const Shape& shape, Form form) { return shape[shape.rank() - (form.swapped ? 2 : 1)]; }

Shape batch_shape(const Shape& shape) {
  return Shape(shape.dims().first(static_cast<size_t>(shape.rank() - 2)));
}

// The products of one call: `count` of them, of the same size.
struct Products {
  kernels::GemmSize size;
  int64_t count = 1;
  Shape batch;  // of the output
  Shape a, b;   // batch shapes of the operands
};

Products products(const Shape& a, const Shape& b, const Forms& form) {
  Products p{{rows(a, form.a), cols(b, form.b), cols(a, form.a)}, 1, {}, {}, {}};
  if (a.rank() == 2 && b.rank() == 2) return p;
  p.a = batch_shape(a);
  p.b = batch_shape(b);
  static_cast<void>(broadcast_shapes(p.a, p.b, &p.batch));  // infer has checked that they do
  p.count = p.batch.num_elements();
  // One right operand for all: the left ones form one tall matrix.
  if (!form.a.swapped && p.b.num_elements() == 1 && p.count > 0) {
    p.size.m *= p.count;
    p.count = 1;
  }
  return p;
}

// Output dimensions when not all of the inputs' are known.
Shape unknown_result(const InferContext& ctx, const Forms& form) {
  const Shape &a = ctx.shape(0), &b = ctx.shape(1);
  if (!a.has_rank() || !b.has_rank()) return Shape::unknown_rank();
  Shape out;
  for (int i = 2; i < std::max(a.rank(), b.rank()); ++i) out.append(kUnknownDim);
  out.append(rows(a, form.a));
  out.append(cols(b, form.b));
  return out;
}

void infer(InferContext& ctx) {
  const Shape &a = ctx.shape(0), &b = ctx.shape(1);
  const Forms form = forms({&ctx.attr(0), 4});
  for (size_t i = 0; i < 2; ++i) {
    if (ctx.shape(i).has_rank() && ctx.shape(i).rank() < 2)
      ctx.fail("In[", i, "] must have at least two dimensions, but its shape is ", ctx.shape(i));
  }
  if (!a.is_known() || !b.is_known()) {
    return ctx.add_output(ctx.dtype(0), unknown_result(ctx, form));
  }
  if (cols(a, form.a) != rows(b, form.b))
    ctx.fail("Matrix size-incompatible: In[0]: ", a, ", In[1]: ", b);
  Shape out;
  if (a.rank() > 2 || b.rank() > 2) {
    if (!broadcast_shapes(batch_shape(a), batch_shape(b), &out))
      ctx.fail("Incompatible batch dimensions: In[0]: ", a, ", In[1]: ", b);
  }
  out.append(rows(a, form.a));
  out.append(cols(b, form.b));
  if (out.num_elements() > 0) {
    ctx.set_scratch(kernels::gemm_scratch_bytes(ctx.dtype(0), products(a, b, form).size));
  }
  ctx.add_output(ctx.dtype(0), out);
}

// The matrix of an operand for product `index`.
int64_t operand_index(const Shape& operand, const Shape& batch, int64_t index) {
  int64_t result = 0, stride = 1;
  for (int i = batch.rank() - 1, k = operand.rank() - 1; k >= 0; --i, --k) {
    const int64_t at = index % batch[i];
    index /= batch[i];
    if (operand[k] != 1) result += at * stride;
    stride *= operand[k];
  }
  return result;
}

kernels::Matrix matrix(const View& view, Form form, int64_t index) {
  const Shape& shape = view.shape;
  const int64_t height = shape[shape.rank() - 2], width = shape[shape.rank() - 1];
  const size_t bytes = static_cast<size_t>(index * height * width) * dtype_size(view.dtype);
  const void* data = static_cast<const char*>(view.data) + bytes;
  if (form.swapped) return {data, 1, width, form.conjugate};
  return {data, width, 1, form.conjugate};
}

KernelResult product_cpu(const KernelContext& ctx, const kernels::Epilogue& epilogue) {
  const View &a = ctx.inputs[0], &b = ctx.inputs[1], &out = ctx.outputs[0];
  if (out.size() == 0) return KernelResult::ok();
  const Forms form = forms(ctx.attrs);
  const Products p = products(a.shape, b.shape, form);
  const auto run = [&](int64_t i) {
    const bool single = p.count == 1;
    const kernels::Matrix left = matrix(a, form.a, single ? 0 : operand_index(p.a, p.batch, i));
    const kernels::Matrix right = matrix(b, form.b, single ? 0 : operand_index(p.b, p.batch, i));
    const size_t at = static_cast<size_t>(i * p.size.m * p.size.n) * dtype_size(out.dtype);
    kernels::gemm(out.dtype, p.size, left, right, static_cast<char*>(out.data) + at, p.size.n,
                  ctx.scratch, epilogue);
  };
  if (ctx.scratch != nullptr || p.count == 1) {
    for (int64_t i = 0; i < p.count; ++i) run(i);
    return KernelResult::ok();
  }
  // Small ones: a thread takes many.
  const int64_t work = p.size.m * p.size.n * std::max<int64_t>(p.size.k, 1);
  parallel_for(p.count, std::max<int64_t>(1, (1 << 16) / work), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) run(i);
  });
  return KernelResult::ok();
}

KernelResult cpu(const KernelContext& ctx) { return product_cpu(ctx, {}); }
bool takes_epilogue(Attrs) { return true; }

Tensor product(const Tensor& a, Form form_a, const Tensor& b, Form form_b) {
  return matmul(a, b, form_a.swapped != form_a.conjugate, form_b.swapped != form_b.conjugate,
                form_a.conjugate, form_b.conjugate);
}

// With a' and b' as they enter the product, da' = dy · b'ᴴ and db' = a'ᴴ · dy; da and db undo the
// forms of a and b.
Gradients grad(const GradContext& g) {
  const auto [fa, fb] = forms(g.attrs());
  const Tensor &a = g.input(0), &b = g.input(1);
  const Tensor dy = g.dy();
  const bool complex = kComplexTypes.has(dy.dtype());
  Gradients grads{{}, {}};
  if (g.needs(0)) {
    const bool conjugate_b = complex && fb.conjugate == fa.conjugate;
    const Form of_dy{fa.swapped, complex && fa.conjugate};
    const Tensor da = fa.swapped ? product(b, {fb.swapped, conjugate_b}, dy, of_dy)
                                 : product(dy, of_dy, b, {!fb.swapped, conjugate_b});
    grads[0] = sum_to_like(da, a);
  }
  if (g.needs(1)) {
    const bool conjugate_a = complex && fa.conjugate == fb.conjugate;
    const Form of_dy{fb.swapped, complex && fb.conjugate};
    const Tensor db = fb.swapped ? product(dy, of_dy, a, {fa.swapped, conjugate_a})
                                 : product(a, {!fa.swapped, conjugate_a}, dy, of_dy);
    grads[1] = sum_to_like(db, b);
  }
  return grads;
}

std::vector<Sample> samples() {
  using enum DType;
  return {
      {{f32({2, 3}), f32({3, 4})}},
      {{f32({3, 2}), f32({4, 3})}, {{"transpose_a", true}, {"transpose_b", true}}},
      {{f32({1, 5}), f32({5, 1})}},
      {{of(kFloat64, {9, 7}), of(kFloat64, {5, 7})}, {{"transpose_b", true}}},
      {{of(kFloat64, {7, 1}), of(kFloat64, {7, 9})}, {{"transpose_a", true}}},
      {{f32({2, 1, 2, 3}), f32({3, 3, 2})}},
      {{f32({2, 2, 3}), f32({3, 2})}},
      {{of(kFloat64, {3, 2}), of(kFloat64, {2, 3, 4})}, {{"transpose_a", true}}},
      {{of(kBFloat16, {3, 4}), of(kBFloat16, {4, 2})}},
      {{of(kFloat16, {3, 4}), of(kFloat16, {2, 4})}, {{"adjoint_b", true}}},
      {{of(kInt32, {2, 3}, -9, 9), of(kInt32, {3, 2}, -9, 9)}},
      {{of(kInt64, {2, 2, 3}, -9, 9), of(kInt64, {2, 3, 2}, -9, 9)}},
      {{of(kUInt8, {2, 3}, 0, 200), of(kUInt8, {3, 2}, 0, 200)}},
      {{of(kComplex64, {2, 3}), of(kComplex64, {3, 2})}},
      {{of(kComplex128, {3, 2}), of(kComplex128, {3, 4})}, {{"adjoint_a", true}}},
      {{of(kComplex128, {2, 3}), of(kComplex128, {4, 3})}, {{"transpose_b", true}}},
      {{of(kComplex128, {2, 3}), of(kComplex128, {3, 4})},
       {{"transpose_b", true}, {"adjoint_b", true}},
       0,
       true},
      {{f32({2, 0}), f32({0, 3})}},
      {{f32({0, 3}), f32({3, 2})}},
      {{f32({0, 2, 3}), f32({1, 3, 2})}},
      {{f32({33, 40}), f32({40, 35})}, {}, 0, false},
      {{of(kBFloat16, {20, 300}), of(kBFloat16, {300, 18})}, {}, 0, false},
      {.inputs = {f32({512, 512}), f32({512, 512})}, .for_speed = true},
      {.inputs = {f32({2, 2}), f32({2, 2})}, .for_speed = true},
  };
}

}  // namespace

PEN_OP_DEF(matmul) = {
    .name = "MatMul",
    .doc = "a · b for the matrices in the last two dimensions; the others broadcast.",
    .inputs = {in("a", kNumberTypes), in("b", kNumberTypes)},
    .attrs = {bool_attr("transpose_a", false), bool_attr("transpose_b", false),
              bool_attr("adjoint_a", false), bool_attr("adjoint_b", false)},
    .traits = {Trait::kCannotFail, Trait::kBilinear},
    .infer = infer,
    .cpu = {cpu, &kernels::kProductFormula<product_cpu, takes_epilogue>},
    .grad = grad,
    .saves = {.inputs = 0b11},
    .samples = samples,
    .operators = {{"matmul"}},
};

}  // namespace penstock
