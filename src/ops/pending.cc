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

PEN_OP_DEF(one_hot) = {
    .name = "OneHot",
    .doc = "on_value where the new axis's position is the index, off_value elsewhere.",
    .inputs = {in("indices", kIndexTypes | DType::kUInt8, 'I'), host("depth", DType::kInt32),
               in("on_value", kAnyType), in("off_value", kAnyType)},
    .attrs = {int_attr("axis", -1)},
    .infer = infer_pending,
    .grad = no_gradient,
    .samples = no_samples,
};
PEN_OP_DEF(stack) = {
    .name = "Pack",
    .doc = "Tensors of one shape side by side along a new axis.",
    .inputs = {many("values", kAnyType)},
    .attrs = {int_attr("axis", 0)},
    .infer = infer_pending,
    .grad = no_gradient,
    .samples = no_samples,
};
PEN_OP_DEF(concat) = {
    .name = "ConcatV2",
    .doc = "Tensors one after the other along an axis.",
    .inputs = {many("values", kAnyType)},
    .attrs = {int_attr("axis")},
    .infer = infer_pending,
    .grad = no_gradient,
    .samples = no_samples,
};
PEN_OP_DEF(tensor_scatter_add) = {
    .name = "TensorScatterAdd",
    .doc = "`tensor` with `updates` added at `indices`, whose last axis holds coordinates.",
    .inputs = {in("tensor", kNumberTypes), in("indices", kIndexTypes, 'I'),
               in("updates", kNumberTypes)},
    .forwards = {{0, 0}},
    .infer = infer_pending,
    .grad = no_gradient,
    .samples = no_samples,
};

}  // namespace penstock
