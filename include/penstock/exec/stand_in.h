// Variables as arguments of a function: it is traced once, with placeholder variables that are
// later replaced by the caller's.
#pragma once

#include <span>

#include <penstock/base/export.h>
#include <penstock/exec/function.h>
#include <penstock/exec/variable.h>

namespace penstock {

// A placeholder variable of the same dtype and shape, for a trace to read and assign. It has no
// value: reading or updating it outside a trace throws FailedPreconditionError.
PEN_API Variable stand_in_for(const Variable& variable);

// The function with `from[i]` replaced by `to[i]`. Pre: equal counts, dtypes and shapes.
PEN_API Function with_variables(const Function& function, std::span<const Variable> from,
                                std::span<const Variable> to);

}  // namespace penstock
