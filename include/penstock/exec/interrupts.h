// Interrupts: how the host stops a long-running loop.
#pragma once

#include <penstock/base/export.h>

namespace penstock {

// Called regularly while a loop of a function runs; it may throw to stop it.
using InterruptFn = void (*)();
PEN_API void set_interrupt_check(InterruptFn check);

}  // namespace penstock
