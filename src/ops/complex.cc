// Complex numbers from their parts, and the parts.
#include <cmath>

#include "ops/elementwise.h"

namespace penstock {
namespace {

using namespace elementwise;
using kernels::UnaryOp;

constexpr DTypeSet kPartTypes = DTypeSet(DType::kFloat32) | DType::kFloat64;

DType part_of(DType dtype) {
  return dtype == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
}
void infer_part(InferContext& ctx) { ctx.add_output(part_of(ctx.dtype(0)), ctx.shape(0)); }

void infer_complex(InferContext& ctx) {
  const bool is_float = ctx.dtype(0) == DType::kFloat32;
  ctx.add_output(is_float ? DType::kComplex64 : DType::kComplex128,
                 broadcast(ctx, ctx.shape(0), ctx.shape(1)));
}

template <typename T>
void complex_loop(const void* re_data, const void* im_data, void* out_data, int64_t n,
                  int stride_re, int stride_im) {
  const T* re = static_cast<const T*>(re_data);
  const T* im = static_cast<const T*>(im_data);
  T* out = static_cast<T*>(out_data);
  for (int64_t i = 0; i < n; ++i) {
    out[2 * i] = re[i * stride_re];
    out[2 * i + 1] = im[i * stride_im];
  }
}
KernelResult complex_cpu(const KernelContext& ctx) {
  const View& re = ctx.inputs[0];
  const bool is_float = re.dtype == DType::kFloat32;
  kernels::run_binary(is_float ? complex_loop<float> : complex_loop<double>, re, ctx.inputs[1],
                      ctx.outputs[0]);
  return KernelResult::ok();
}

Gradients complex_grad(const GradContext& g) {
  Gradients out{{}, {}};
  const Tensor dy = g.dy();
  if (g.needs(0)) out[0] = sum_to_like(real(dy), g.input(0));
  if (g.needs(1)) out[1] = sum_to_like(imag(dy), g.input(1));
  return out;
}
Gradients real_grad(const GradContext& g) {
  const Tensor dy = g.dy();
  return {complex(dy, scalar_like(dy, 0))};
}
Gradients imag_grad(const GradContext& g) {
  const Tensor dy = g.dy();
  return {complex(scalar_like(dy, 0), dy)};
}
// dy x / |x|, written so that it can be differentiated again.
Gradients abs_grad(const GradContext& g) {
  const Tensor& x = g.input(0);
  const Tensor share = div_no_nan(g.dy(), g.output());
  return {complex(share * real(x), share * imag(x))};
}
// dy (-im + i re) / |x|²
Gradients angle_grad(const GradContext& g) {
  const Tensor re = real(g.input(0));
  const Tensor im = imag(g.input(0));
  const Tensor share = g.dy() / (square(re) + square(im));
  return {complex(negative(share * im), share * re)};
}

std::vector<Sample> complex_samples() { return binary_samples(kPartTypes); }
std::vector<Sample> samples() {
  return {
      {{of(DType::kComplex64, {3, 4}, 0.5, 2)}},
      {{of(DType::kComplex64, {3, 4}, -2, -0.5)}},
      {{of(DType::kComplex128, {}, 0.5, 2)}},
      {{of(DType::kComplex128, {7}, 0.5, 2)}},
      {{of(DType::kComplex64, {0, 2})}},
      {.inputs = {of(DType::kComplex64, {1 << 20})}, .for_speed = true},
  };
}

}  // namespace

PEN_OP_DEF(complex) = {
    .name = "Complex",
    .doc = "real + i * imag.",
    .inputs = {in("real", kPartTypes), in("imag", kPartTypes)},
    .traits = {Trait::kElementwise},
    .infer = infer_complex,
    .cpu = complex_cpu,
    .grad = complex_grad,
    .samples = complex_samples,
};

PEN_OP_DEF(real) = {
    .name = "Real",
    .doc = "The real part.",
    .inputs = {in("input", kComplexTypes)},
    .traits = {Trait::kElementwise},
    .infer = infer_part,
    .cpu = unary_cpu<UnaryOp::kReal>,
    .grad = real_grad,
    .samples = samples,
};

PEN_OP_DEF(imag) = {
    .name = "Imag",
    .doc = "The imaginary part.",
    .inputs = {in("input", kComplexTypes)},
    .traits = {Trait::kElementwise},
    .infer = infer_part,
    .cpu = unary_cpu<UnaryOp::kImag>,
    .grad = imag_grad,
    .samples = samples,
};

PEN_OP_DEF(complex_abs) = {
    .name = "ComplexAbs",
    .doc = "The absolute value of complex numbers.",
    .inputs = {in("x", kComplexTypes)},
    .traits = {Trait::kElementwise},
    .infer = infer_part,
    .cpu = unary_cpu<UnaryOp::kComplexAbs>,
    .grad = abs_grad,
    .saves = {.inputs = kAll, .outputs = kAll},
    .samples = samples,
    .operators = {{"abs", true}},
};

PEN_OP_DEF(angle) = {
    .name = "Angle",
    .doc = "The angle of complex numbers, in (-π, π].",
    .inputs = {in("input", kComplexTypes)},
    .traits = {Trait::kElementwise},
    .infer = infer_part,
    .cpu = unary_cpu<UnaryOp::kAngle, kernels::kHeavyGrain>,
    .grad = angle_grad,
    .saves = {.inputs = kAll},
    .samples = samples,
};

}  // namespace penstock
