// PEN_CHECK: a condition that only a bug of ours can break. Never reachable from user input.
#pragma once

#include <penstock/base/export.h>

namespace penstock {

// Prints the condition with its place and aborts.
[[noreturn]] PEN_API void check_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace penstock

#define PEN_CHECK(condition)                         \
  (__builtin_expect(static_cast<bool>(condition), 1) \
       ? static_cast<void>(0)                        \
       : ::penstock::check_failed(#condition, __FILE__, __LINE__))
