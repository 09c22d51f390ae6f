// Solver: the portfolio of methods for one problem. It holds the lowest layout so far, and a bound.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "plan/effort.h"
#include "plan/problem.h"
#include "plan/search.h"

namespace penstock::plan {

class Solver {
 public:
  Solver(Problem problem, uint64_t seed);

  // Finds the first layout by greedy orders, of height `target` or lower if they reach it.
  void start(int64_t target, Effort& effort);
  // Lowers the layout until it reaches `target`, is proved optimal, or the effort is exhausted.
  void improve(int64_t target, Effort& effort);

  std::span<const int64_t> offsets() const { return offsets_; }
  int64_t height() const { return height_; }
  int64_t bound() const { return bound_; }
  Stage stage() const { return stage_; }

 private:
  bool is_done(int64_t target) const { return height_ <= target || height_ <= bound_; }
  void take(std::vector<int64_t> offsets, Stage stage);
  void walk(int64_t target, int64_t steps, Effort& effort);
  bool shake(Effort& effort);
  void search(int64_t target, int64_t steps, Effort& effort);
  bool try_height(Search& search, int64_t height, int64_t steps, Effort& effort);

  const Problem problem_;
  Random random_;
  // Two searches: failures at the least height say little about heights just below the layout's.
  std::unique_ptr<Search> at_least_, below_;
  std::vector<int64_t> offsets_;
  int64_t height_;
  int64_t bound_;
  Stage stage_ = Stage::kTrivial;
  double stride_ = 0.25;  // of the exact search: the share of the gap that it tries to close
};

}  // namespace penstock::plan
