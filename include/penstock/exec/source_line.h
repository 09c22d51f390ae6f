// SourceLine: a line of the user's program.
#pragma once

#include <string_view>

#include <penstock/base/export.h>

namespace penstock {

struct SourceLine {
  std::string_view file;
  int line = 0;
};
// Who knows the line that is running, for plans and messages; null for nobody.
using SourceLineFn = SourceLine (*)();
PEN_API void set_locator(SourceLineFn locate);

}  // namespace penstock
