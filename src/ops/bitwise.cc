// Operations on the bits of whole numbers.
#include "ops/elementwise.h"

namespace penstock {
namespace {

using namespace elementwise;
using kernels::BinaryOp;
using kernels::UnaryOp;

void infer_count(InferContext& ctx) { ctx.add_output(DType::kUInt8, ctx.shape(0)); }

std::vector<Sample> samples() { return binary_samples(kIntTypes); }
// Shifts are cut to the width of the number.
std::vector<Sample> shift_samples() {
  std::vector<Sample> samples = binary_samples(kIntTypes, 0, 7);
  for (const DType dtype : {DType::kInt8, DType::kInt32, DType::kInt64}) {
    samples.push_back(
        {{given(dtype, {5}, {1, -5, 1, 3, -100}), given(dtype, {5}, {-1, -3, 100, 7, 2})}});
  }
  samples.push_back(
      {{given(DType::kUInt8, {3}, {1, 255, 3}), given(DType::kUInt8, {3}, {100, 7, 0})}});
  return samples;
}
std::vector<Sample> unary() {
  std::vector<Sample> samples = unary_samples(kIntTypes);
  samples.push_back({{given(DType::kInt64, {4}, {-1, 0, 1e15, -1e15})}});
  return samples;
}

}  // namespace

PEN_OP_DEF(bitwise_and) = {
    .name = "BitwiseAnd",
    .doc = "The bits that x and y both have.",
    .inputs = {in("x", kIntTypes), in("y", kIntTypes)},
    .traits = {Trait::kElementwise, Trait::kCommutative},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_binary,
    .cpu = binary_cpu<BinaryOp::kBitwiseAnd>,
    .grad = no_gradient,
    .samples = samples,
    .operators = {{"and"}},
};

PEN_OP_DEF(bitwise_or) = {
    .name = "BitwiseOr",
    .doc = "The bits that x or y has.",
    .inputs = {in("x", kIntTypes), in("y", kIntTypes)},
    .traits = {Trait::kElementwise, Trait::kCommutative},
    .forwards = {{0, 0}, {1, 0}},
    .neutral = {0, kIntTypes},
    .infer = infer_binary,
    .cpu = binary_cpu<BinaryOp::kBitwiseOr>,
    .grad = no_gradient,
    .samples = samples,
    .operators = {{"or"}},
};

PEN_OP_DEF(bitwise_xor) = {
    .name = "BitwiseXor",
    .doc = "The bits that one of x and y has.",
    .inputs = {in("x", kIntTypes), in("y", kIntTypes)},
    .traits = {Trait::kElementwise, Trait::kCommutative},
    .forwards = {{0, 0}, {1, 0}},
    .neutral = {0, kIntTypes},
    .infer = infer_binary,
    .cpu = binary_cpu<BinaryOp::kBitwiseXor>,
    .grad = no_gradient,
    .samples = samples,
    .operators = {{"xor"}},
};

PEN_OP_DEF(left_shift) = {
    .name = "LeftShift",
    .doc = "x shifted to the left by y bits, by none below 0 and by all but one at most.",
    .inputs = {in("x", kIntTypes), in("y", kIntTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .neutral = {0, kIntTypes},
    .infer = infer_binary,
    .cpu = binary_cpu<BinaryOp::kLeftShift>,
    .grad = no_gradient,
    .samples = shift_samples,
};

PEN_OP_DEF(right_shift) = {
    .name = "RightShift",
    .doc = "x shifted to the right by y bits, keeping its sign; y as for left_shift.",
    .inputs = {in("x", kIntTypes), in("y", kIntTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .neutral = {0, kIntTypes},
    .infer = infer_binary,
    .cpu = binary_cpu<BinaryOp::kRightShift>,
    .grad = no_gradient,
    .samples = shift_samples,
};

PEN_OP_DEF(invert) = {
    .name = "Invert",
    .doc = "The bits that x does not have.",
    .inputs = {in("x", kIntTypes)},
    .traits = {Trait::kElementwise, Trait::kInvolution},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kInvert>,
    .grad = no_gradient,
    .samples = unary,
    .operators = {{"invert"}},
};

PEN_OP_DEF(population_count) = {
    .name = "PopulationCount",
    .doc = "How many bits of x are set.",
    .inputs = {in("x", kIntTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_count,
    .cpu = unary_cpu<UnaryOp::kPopulationCount>,
    .grad = no_gradient,
    .samples = unary,
};

}  // namespace penstock
