// Offsets from lifetimes: places blocks in one arena so that no two that are live together overlap
// and the arena is as low as possible.
//
// A block lives in [lower, upper) and has a size in bytes; times are increasing integers. The
// height of a layout is the largest offset + size. No layout is lower than the largest sum of sizes
// that are live at one moment. `lower_bound` is at least that, and more if a search proved more.
// `gap` is 0 when the layout is proved optimal.
//
// The same blocks and options give the same layout: a search ends after a fixed amount of work,
// which the time limit determines. The clock cuts a search short only if the machine is too slow to
// do that work in time.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <penstock/base/export.h>

namespace penstock::plan {

struct Block {
  int64_t lower;  // the first moment at which it is live
  int64_t upper;  // the first at which it no longer is; greater than lower
  int64_t size;   // not negative; a block of no bytes lies at 0
};

// Progress of a search: reported after each lower layout, and several times a second.
struct Progress {
  int64_t height;
  int64_t lower_bound;
  double seconds;
};

struct Options {
  double time_limit = 0.05;  // seconds; the first layout is always finished
  int64_t alignment = 1;     // of every offset, and sizes count as rounded up to it
  uint64_t seed = 0;         // of the randomised orders
  std::function<void(const Progress&)> progress = {};  // may throw, which ends planning
};

// The stage that found the layout.
enum class Stage : uint8_t { kTrivial, kGreedy, kLocalSearch, kExact };
PEN_API std::string_view stage_name(Stage stage);

struct Layout {
  std::vector<int64_t> offsets;  // one per block, in the order of the blocks
  int64_t height = 0;
  int64_t lower_bound = 0;
  double gap = 0;  // height / lower_bound - 1
  double seconds = 0;
  Stage stage = Stage::kTrivial;
};

constexpr int64_t kMaxBlocks = 4'000'000;

// A low layout of `blocks`. Throws InvalidArgumentError for a negative size, an upper not greater
// than its lower, sizes whose sum overflows, more than kMaxBlocks blocks, an alignment below 1, and
// a time limit that is negative or NaN.
PEN_API Layout plan_offsets(std::span<const Block> blocks, const Options& options = {});

// Describes a fault of a layout: two blocks that overlap, one that leaves the arena or is
// misaligned; empty if there is none. Shares no code with the planner.
PEN_API std::string find_fault(std::span<const Block> blocks, std::span<const int64_t> offsets,
                               int64_t height, int64_t alignment = 1);

}  // namespace penstock::plan
