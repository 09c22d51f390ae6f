// The ops that passes know by name. What else a pass asks of an op is a trait of its OpDef.
#pragma once

#include <penstock/ops/op_def.h>

namespace penstock {

struct KnownOps {
  const OpDef* add;
  const OpDef* bias_add;
  const OpDef* broadcast_to;
  const OpDef* cast;
  const OpDef* fill;
  const OpDef* matmul;
  const OpDef* mul;
  const OpDef* ones_like;
  const OpDef* reshape;
  const OpDef* transpose;
  const OpDef* zeros_like;

  // Whether the gradient at one of the two inputs reads the other alone.
  bool is_product(const OpDef* op) const { return op == mul || op == matmul; }
  // The input that the op gives repeated, without more; -1 for other ops.
  int repeated_input(const OpDef* op) const { return op == fill ? 1 : op == broadcast_to ? 0 : -1; }
};
const KnownOps& known_ops();

}  // namespace penstock
