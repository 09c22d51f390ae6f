// SourceLine: a line of the user's program.
#pragma once

#include <string_view>

#include <penstock/base/export.h>

namespace penstock {

struct SourceLine {
  std::string_view file;
  int line = 0;
};
// Returns the current line of the user's program, for plans and messages; null if unset.
using SourceLineFn = SourceLine (*)();
PEN_API void set_locator(SourceLineFn locate);

}  // namespace penstock
