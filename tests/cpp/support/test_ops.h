// Small ops of our own, where a test wants to see what dispatch does with an OpDef.
#pragma once

#include <penstock/ops/context.h>
#include <penstock/ops/dispatch.h>
#include <penstock/ops/gradient.h>

namespace penstock::testing_support {

// y = 2x in float32, in place when it may. Refuses a negative element, as only a kernel can see it.
extern const OpDef twice_op;
// y = x * x in float32; keeps its input for the gradient, and can run in place.
extern const OpDef square_op;
// The positive elements of x: as many as there are.
extern const OpDef positives_op;
// x with scratch as large as itself.
extern const OpDef with_scratch_op;
// One of each kind of attribute.
extern const OpDef with_attrs_op;

inline Tensors run(const OpDef& op, std::initializer_list<const Tensor*> inputs, Attrs attrs = {},
                   uint64_t given = 0) {
  return dispatch(op, {inputs.begin(), inputs.size()}, attrs, given);
}
inline Tensor twice(const Tensor& x) { return run(twice_op, {&x})[0]; }
inline Tensor twice(Tensor&& x) { return run(twice_op, {&x}, {}, 1)[0]; }
inline Tensor square(const Tensor& x) { return run(square_op, {&x})[0]; }
inline Tensor square(Tensor&& x) { return run(square_op, {&x}, {}, 1)[0]; }

}  // namespace penstock::testing_support
