// Variables as arguments of a function: it is traced once, with variables that stand for those of
// its callers, and given these afterwards.
#pragma once

#include <span>

#include <penstock/base/export.h>
#include <penstock/exec/function.h>
#include <penstock/exec/variable.h>

namespace penstock {

// A variable of the same dtype and shape for a trace to read and assign. It has no value: outside
// of traces, to read or update it throws FailedPreconditionError.
PEN_API Variable stand_in_for(const Variable& variable);

// The function with `to[i]` in the place of `from[i]`. Pre: as many, of the same dtypes and shapes.
PEN_API Function with_variables(const Function& function, std::span<const Variable> from,
                                std::span<const Variable> to);

}  // namespace penstock
