// MemoryPlan of a dataset: what an iterator will hold, stage by stage, before it runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <penstock/base/export.h>

namespace penstock::data {

// Something that a stage holds: a buffer, elements that are being computed.
struct PlannedBuffer {
  std::string stage;        // "Shuffle"
  std::string what;         // "1000 elements of 4 bytes"
  int64_t bytes = 0;        // the most; kUnknownBytes if it depends on the elements
  bool is_exact = true;     // reached by every iterator that is read to the end
  bool is_spilled = false;  // the part beyond the budget's share goes to a file
  std::string unknown;      // what is not known, in words
  std::string file;         // the line of the user's program that made the stage
  int line = 0;
};

struct MemoryPlan {
  std::vector<PlannedBuffer> buffers;
  int64_t peak_bytes = 0;      // of the tag `dataset`: the sum of the known buffers
  int64_t function_bytes = 0;  // the plans of the functions that run at the same time
  bool is_exact = true;        // all buffers are exact
};

}  // namespace penstock::data
