// The definitions of all ops in op_list.inc, for code that adds calls of specific ops to a graph:
// fill_op is the one of PEN_OP_DEF(fill). Code outside src/ops must not compare ops by identity:
// facts about an op are fields of its OpDef.
#pragma once

#include <penstock/ops/op_def.h>

namespace penstock {

#define PEN_OP(id) extern const OpDef id##_op;
#include "ops/op_list.inc"
#undef PEN_OP

}  // namespace penstock
