// The exact search: is there a layout of a given height?
//
// Blocks are stacked bottom up on a skyline. Every block has a least offset, and every section a
// floor: the least offset among its unplaced blocks. A section whose floor plus remaining bytes
// exceed the height ends a branch; one with hardly any room to spare restricts which of its blocks
// can come next. A block that was tried and refuted must have another one below it. That raises its
// least offset, and it waits until a block that it lives with has been placed. So no layout is
// visited twice, and a search that runs to its end is a proof. It restarts from time to time, with
// other preferences and more weight on the sections where it failed.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/effort.h"
#include "plan/problem.h"

namespace penstock::plan {

class Search {
 public:
  // True if the tables of a search over `problem` have a reasonable size.
  static bool is_feasible(const Problem& problem);

  Search(const Problem& problem, uint64_t seed);

  enum class Answer : uint8_t { kFound, kImpossible, kGaveUp };
  // Searches for a layout of at most `height` with about `steps` of `effort`.
  Answer run(int64_t height, int64_t steps, Effort& effort);
  // Forgets where earlier runs failed.
  void forget() { weight_.assign(weight_.size(), 1); }
  // The layout found by the last run.
  const std::vector<int64_t>& offsets() const { return offsets_; }

 private:
  enum class Field : uint8_t { kFloor, kLowestTop, kLeast, kWaits, kPlaced };
  struct Change {
    Field field;
    int32_t index;
    int64_t old;
  };

  bool start(int64_t height);
  Answer descend();
  int32_t choose_section();
  int32_t choose_block(int32_t section);
  double cost(int32_t block, int32_t section, int64_t limit);
  bool place(int32_t block);
  bool refute(int32_t block);
  bool raise(int32_t block, int64_t least);
  void rise(int32_t block, int64_t least);
  bool propagate();
  bool tighten(int32_t section);
  void undo(size_t mark);
  void fail(int32_t section);
  void touch(int32_t section);
  void forget_touched();

  int64_t slack(int32_t section) const { return height_ - floor_[section] - left_[section]; }

  const Problem& problem_;
  Random random_;
  // Per section the live blocks, and per block those that are live with it.
  std::vector<std::vector<int32_t>> live_;
  std::vector<std::vector<int32_t>> beside_;
  // Equal blocks are placed in a fixed order: the next and the previous one of the same lifetime
  // and size, or -1.
  std::vector<int32_t> next_twin_, previous_twin_;

  int64_t height_ = 0;
  std::vector<int64_t> floor_;       // per section
  std::vector<int64_t> lowest_top_;  // per section: of a block that may be its lowest
  std::vector<int64_t> left_;        // per section: bytes of unplaced blocks
  std::vector<int32_t> count_;       // per section: the number of unplaced blocks
  std::vector<double> weight_;       // per section: how often a branch failed there
  std::vector<int64_t> least_;       // per block
  std::vector<char> placed_;         // per block
  std::vector<char> waits_;          // per block: refuted, and no neighbour placed since
  std::vector<double> merit_;        // per block: the preferences of this restart
  std::vector<int64_t> offsets_;
  int32_t num_placed_ = 0;

  std::vector<Change> trail_;
  std::vector<int32_t> touched_;  // sections whose floor may have risen
  std::vector<char> is_touched_;

  int64_t steps_ = 0;  // since they were last reported to effort_
  int64_t steps_left_ = 0;
  int64_t failures_left_ = 0;
  Effort* effort_ = nullptr;
};

}  // namespace penstock::plan
