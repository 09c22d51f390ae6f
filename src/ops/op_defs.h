// The definitions of all ops of op_list.inc, for code that puts calls of certain ops into a graph:
// fill_op is the one of PEN_OP_DEF(fill). What else there is to know of an op is a field of its
// OpDef: nobody outside of src/ops asks whether an op is a certain one.
#pragma once

#include <penstock/ops/op_def.h>

namespace penstock {

#define PEN_OP(id) extern const OpDef id##_op;
#include "ops/op_list.inc"
#undef PEN_OP

}  // namespace penstock
