// ZerosLike, OnesLike: constants with another tensor's dtype and shape.
#include <cstring>

#include <penstock/ops/context.h>
#include <penstock/ops/sample.h>

#include "kernels/fill.h"

namespace penstock {
namespace {

void infer(InferContext& ctx) { ctx.add_output(ctx.dtype(0), ctx.shape(0)); }

// Zero bytes are the zero of every dtype, and the empty string.
KernelResult cpu_zeros(const KernelContext& ctx) {
  const View& out = ctx.outputs[0];
  std::memset(out.data, 0, static_cast<size_t>(out.shape.num_bytes(dtype_size(out.dtype))));
  return KernelResult::ok();
}

template <typename T>
T one() {
  return T(1);
}
template <>
StringRef one<StringRef>() {
  return {};
}

KernelResult cpu_ones(const KernelContext& ctx) {
  const View& out = ctx.outputs[0];
  switch (out.dtype) {
#define PEN_CASE(T, enumerator)                                \
  case DType::enumerator: {                                    \
    const T value = one<T>();                                  \
    kernels::fill(out.data, &value, sizeof value, out.size()); \
    break;                                                     \
  }
    PEN_FOR_EACH_DTYPE(PEN_CASE)
#undef PEN_CASE
    case DType::kInvalid:
      break;
  }
  return KernelResult::ok();
}

std::vector<Sample> samples_of(DTypeSet dtypes) {
  std::vector<Sample> samples = {{{f32({2, 3})}}, {{f32({})}}, {{f32({0, 2})}}};
  for (int i = 1; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (dtypes.has(dtype)) samples.push_back({{of(dtype, {3})}});
  }
  samples.push_back({{f32({1 << 20})}, {}, 0, true, true});
  return samples;
}
std::vector<Sample> zeros_samples() { return samples_of(kAnyType); }
std::vector<Sample> ones_samples() { return samples_of(kFixedTypes); }

}  // namespace

PEN_OP_DEF(zeros_like) = {
    .name = "ZerosLike",
    .doc = "Zeros, or empty strings, of the dtype and shape of x.",
    .inputs = {in("x", kAnyType)},
    .traits = {Trait::kShapeOnly},
    .forwards = {{0, 0}},
    .infer = infer,
    .cpu = cpu_zeros,
    .grad = no_gradient,
    .samples = zeros_samples,
    .everywhere = 0,
    .graph_name = {"zeros_like"},
};

PEN_OP_DEF(ones_like) = {
    .name = "OnesLike",
    .doc = "Ones of the dtype and shape of x.",
    .inputs = {in("x", kFixedTypes)},
    .traits = {Trait::kShapeOnly},
    .forwards = {{0, 0}},
    .infer = infer,
    .cpu = cpu_ones,
    .grad = no_gradient,
    .samples = ones_samples,
    .everywhere = 1,
};

}  // namespace penstock
