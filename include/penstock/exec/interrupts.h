// Interrupts: how the host stops a long-running loop.
#pragma once

#include <exception>

#include <penstock/base/export.h>

namespace penstock {

// Called regularly while a loop of a function runs; it may throw to stop it.
using InterruptFn = void (*)();
PEN_API void set_interrupt_check(InterruptFn check);

// Whether an exception is the user's request to stop, or a cancellation, rather than a failure: the
// host says so for its own exceptions.
using IsInterruptFn = bool (*)(const std::exception& error);
PEN_API void set_interrupt_test(IsInterruptFn test);
PEN_API bool is_interrupt(const std::exception& error);

}  // namespace penstock
