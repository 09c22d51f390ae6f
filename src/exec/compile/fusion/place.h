// Place: where a value is stored while its graph runs.
#pragma once

#include <cstdint>

#include "graph/graph.h"

namespace penstock::exec {

struct Place {
  int32_t storage = kNoIndex;  // the layout's (memory_layout.h)
  int64_t offset = 0;
};

}  // namespace penstock::exec
