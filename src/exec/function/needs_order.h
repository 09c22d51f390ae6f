// Which functions may be called by several threads at the same time.
#pragma once

#include <penstock/exec/function.h>

namespace penstock::exec {

// Whether calls must be made one after the other, in order: the function draws random numbers or
// assigns to variables. A host call may run at the same time as others.
bool needs_order(const Function& function);

}  // namespace penstock::exec
