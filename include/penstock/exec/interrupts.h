// How the host ends a loop that runs for long.
#pragma once

#include <penstock/base/export.h>

namespace penstock {

// Called now and then while a loop of a function runs: it may throw to end that.
using InterruptFn = void (*)();
PEN_API void set_interrupt_check(InterruptFn check);

}  // namespace penstock
