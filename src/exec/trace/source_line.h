// The current line of the user's program.
#pragma once

#include <optional>

#include <penstock/exec/source_line.h>

namespace penstock::exec {

// None if it is unknown.
std::optional<SourceLine> current_line();

}  // namespace penstock::exec
