// The user's line that is running.
#pragma once

#include <optional>

#include <penstock/exec/source_line.h>

namespace penstock::exec {

// None where nobody knows.
std::optional<SourceLine> current_line();

}  // namespace penstock::exec
