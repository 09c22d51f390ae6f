// TapeState: the contents of a tape. Shared by its handle and by its thread's list of tapes.
#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <penstock/autodiff/tape.h>
#include <penstock/memory/counted.h>

#include "autodiff/id_map.h"
#include "autodiff/tangents.h"

namespace penstock::autodiff {

// One recorded call. Tensors that its gradient does not read are kept without data.
struct Record {
  const OpDef* op = nullptr;  // null for a custom gradient
  std::shared_ptr<const Backward> backward;
  OwnedAttrs attrs;
  SmallVector<Tensor, 2> inputs;
  SmallVector<Tensor, 1> outputs;
};

Record copy_of(const Record& record);

using Records = std::vector<Record, Counted<Record>>;

// A forward accumulator is a TapeState too: it has its place among the tapes of its thread, but has
// tangents instead of records.
struct TapeState {
  Tape::Options options;
  std::unique_ptr<Tangents> tangents;
  Records records;
  IdMap<bool> known;  // ids that are watched, or computed from watched ones
  std::vector<uint64_t, Counted<uint64_t>> variables;  // the variables among them
  bool is_used = false;
  const OpDef* lost_at = nullptr;  // an op without a gradient that used a known id

  TapeState* below = nullptr;  // the next outer tape of the thread
  std::thread::id thread = std::this_thread::get_id();
  std::atomic<bool> is_closed{false};  // by its handle on another thread; the list drops it later
  bool is_listed = false;
  std::atomic<int> references{1};

  // Whether it follows the tensor or variable.
  bool knows(uint64_t id) { return tangents != nullptr ? tangents->has(id) : known.has(id); }
  void add(Record record);
  void watch_variable(uint64_t variable);
};

}  // namespace penstock::autodiff
