// Signatures of ops that are about to be written.
#include <penstock/ops/context.h>
#include <penstock/ops/sample.h>

namespace penstock {
namespace {

void infer_pending(InferContext& ctx) {
  throw UnimplementedError(cat(ctx.op().name.value, " is pending"));
}
std::vector<Sample> no_samples() { return {}; }

}  // namespace

PEN_OP_DEF(add) = {
    .name = "AddV2",
    .doc = "x + y.",
    .inputs = {in("x", kNumberTypes), in("y", kNumberTypes)},
    .infer = infer_pending,
    .grad = no_gradient,
    .samples = no_samples,
};
PEN_OP_DEF(subtract) = {
    .name = "Sub",
    .doc = "x - y.",
    .inputs = {in("x", kNumberTypes), in("y", kNumberTypes)},
    .infer = infer_pending,
    .grad = no_gradient,
    .samples = no_samples,
};
PEN_OP_DEF(multiply) = {
    .name = "Mul",
    .doc = "x * y.",
    .inputs = {in("x", kNumberTypes), in("y", kNumberTypes)},
    .infer = infer_pending,
    .grad = no_gradient,
    .samples = no_samples,
};
PEN_OP_DEF(divide) = {
    .name = "RealDiv",
    .doc = "x / y.",
    .inputs = {in("x", kNumberTypes), in("y", kNumberTypes)},
    .infer = infer_pending,
    .grad = no_gradient,
    .samples = no_samples,
};
PEN_OP_DEF(negative) = {
    .name = "Neg",
    .doc = "-x.",
    .inputs = {in("x", kNumberTypes)},
    .infer = infer_pending,
    .grad = no_gradient,
    .samples = no_samples,
};
PEN_OP_DEF(sum_to) = {
    .name = "SumTo",
    .doc = "Adds x up over what broadcasting `shape` to x's shape would repeat.",
    .inputs = {in("x", kNumberTypes), host("shape", kIndexTypes)},
    .infer = infer_pending,
    .grad = no_gradient,
    .samples = no_samples,
};

}  // namespace penstock
