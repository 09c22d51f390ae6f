// PEN_CHECK: a condition that only a bug in penstock can break. User input must never reach it.
#pragma once

#include <penstock/base/export.h>

namespace penstock {

// Prints the condition with its file and line and aborts.
[[noreturn]] PEN_API void check_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace penstock

#define PEN_CHECK(condition)                         \
  (__builtin_expect(static_cast<bool>(condition), 1) \
       ? static_cast<void>(0)                        \
       : ::penstock::check_failed(#condition, __FILE__, __LINE__))
