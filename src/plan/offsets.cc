// plan_offsets: checks the blocks, decomposes the problem and combines the layouts.
//
// At a moment that no block spans, the blocks before and after it share the arena freely: each
// stretch is a separate problem. Blocks that are live throughout a stretch go to its bottom, and
// the rest above them may decompose again.
#include <penstock/plan/offsets.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include <penstock/base/checked.h>
#include <penstock/base/error.h>

#include "plan/effort.h"
#include "plan/problem.h"
#include "plan/solver.h"

namespace penstock::plan {
namespace {

// The work of a typical machine in half a second, and the most that has ever been useful.
constexpr double kStepsPerSecond = 250e6;
constexpr double kMaxSteps = 3e9;
// The number of times that always-live blocks are peeled off a stretch.
constexpr int kMaxPeels = 50;

std::string row(size_t index) { return "[plan] block " + std::to_string(index) + ": "; }

// The blocks with sizes rounded up to the alignment. Throws for invalid input.
std::vector<Block> checked_blocks(std::span<const Block> blocks, const Options& options) {
  if (options.alignment < 1) throw InvalidArgumentError("[plan] the alignment is less than 1");
  if (!(options.time_limit >= 0)) throw InvalidArgumentError("[plan] the time limit is negative");
  if (blocks.size() > kMaxBlocks) {
    throw InvalidArgumentError("[plan] " + std::to_string(blocks.size()) + " blocks: at most " +
                               std::to_string(kMaxBlocks) + " can be planned");
  }
  std::vector<Block> result(blocks.begin(), blocks.end());
  int64_t total = 0;
  for (size_t i = 0; i < result.size(); ++i) {
    Block& block = result[i];
    if (block.size < 0)
      throw InvalidArgumentError(row(i) + "negative size " + std::to_string(block.size));
    if (block.upper <= block.lower) {
      throw InvalidArgumentError(row(i) + "its lifetime ends at " + std::to_string(block.upper) +
                                 ", not after its start at " + std::to_string(block.lower));
    }
    const int64_t padding =
        (options.alignment - block.size % options.alignment) % options.alignment;
    if (!checked_add(block.size, padding, &block.size) || !checked_add(total, block.size, &total))
      throw InvalidArgumentError(row(i) + "the sum of the sizes overflows");
  }
  return result;
}

// Blocks that share only the arena with the others, all above `base`.
struct Part {
  std::vector<int32_t> ids;  // sorted by lower
  int64_t base = 0;
  int peels = 0;
};

// Cuts `part` at the moments that no block spans.
std::vector<Part> stretches(std::span<const Block> blocks, const Part& part) {
  std::vector<Part> result;
  int64_t end = std::numeric_limits<int64_t>::min();
  for (const int32_t id : part.ids) {
    if (blocks[id].lower >= end) result.push_back({{}, part.base, part.peels});
    end = std::max(end, blocks[id].upper);
    result.back().ids.push_back(id);
  }
  return result;
}

// Places the blocks that live in all sections of a stretch at its bottom. True if there were any.
bool peel(std::span<const Block> blocks, Part& part, std::vector<int64_t>& offsets) {
  int64_t first_end = std::numeric_limits<int64_t>::max();
  for (const int32_t id : part.ids) first_end = std::min(first_end, blocks[id].upper);
  const int64_t last_start = blocks[part.ids.back()].lower;
  std::vector<int32_t> rest;
  for (const int32_t id : part.ids) {
    if (blocks[id].lower < first_end && blocks[id].upper > last_start) {
      offsets[id] = part.base;
      part.base += blocks[id].size;
    } else {
      rest.push_back(id);
    }
  }
  const bool found = rest.size() < part.ids.size();
  part.ids = std::move(rest);
  ++part.peels;
  return found;
}

// A part that needs planning.
struct Piece {
  Part part;
  std::unique_ptr<Solver> solver;
  int64_t height() const { return part.base + solver->height(); }
  int64_t bound() const { return part.base + solver->bound(); }
};

class Planning {
 public:
  Planning(std::vector<Block> blocks, const Options& options)
      : blocks_(std::move(blocks)),
        options_(options),
        effort_(options.time_limit, steps(options.time_limit), ticker(options)) {}

  Layout run();

 private:
  static int64_t steps(double seconds) {
    return static_cast<int64_t>(std::min(kMaxSteps, seconds * kStepsPerSecond)) + 1;
  }
  std::function<void(double)> ticker(const Options& options) {
    if (!options.progress) return nullptr;
    return [this](double seconds) { tell(seconds); };
  }
  void tell(double seconds) {
    if (layout_.height == 0) return;  // there is no layout yet
    update();
    options_.progress({layout_.height, layout_.lower_bound, seconds});
  }
  void take_apart();
  void update();

  const std::vector<Block> blocks_;
  const Options& options_;
  Effort effort_;
  std::vector<Piece> pieces_;
  int64_t trivial_height_ = 0;  // of the blocks outside all pieces
  Layout layout_;
};

void Planning::take_apart() {
  Part all;
  for (size_t i = 0; i < blocks_.size(); ++i)
    if (blocks_[i].size > 0) all.ids.push_back(static_cast<int32_t>(i));
  std::stable_sort(all.ids.begin(), all.ids.end(),
                   [&](int32_t a, int32_t b) { return blocks_[a].lower < blocks_[b].lower; });
  std::vector<Part> parts = stretches(blocks_, all);
  while (!parts.empty()) {
    Part part = std::move(parts.back());
    parts.pop_back();
    const bool peeled = part.peels < kMaxPeels && peel(blocks_, part, layout_.offsets);
    trivial_height_ = std::max(trivial_height_, part.base);
    if (part.ids.empty()) continue;
    if (peeled) {
      for (Part& piece : stretches(blocks_, part)) parts.push_back(std::move(piece));
    } else {
      auto solver = std::make_unique<Solver>(make_problem(blocks_, part.ids), options_.seed);
      pieces_.push_back({std::move(part), std::move(solver)});
    }
  }
}

// Updates the whole from the pieces.
void Planning::update() {
  layout_.height = layout_.lower_bound = trivial_height_;
  layout_.stage = Stage::kTrivial;
  for (const Piece& piece : pieces_) {
    if (piece.height() > layout_.height) layout_.stage = piece.solver->stage();
    layout_.height = std::max(layout_.height, piece.height());
    layout_.lower_bound = std::max(layout_.lower_bound, piece.bound());
  }
}

Layout Planning::run() {
  layout_.offsets.assign(blocks_.size(), 0);
  take_apart();
  int64_t bound = trivial_height_;
  for (const Piece& piece : pieces_) bound = std::max(bound, piece.bound());
  for (Piece& piece : pieces_) piece.solver->start(bound - piece.part.base, effort_);
  update();
  // Only the highest piece matters, until another one is as high.
  while (layout_.height > layout_.lower_bound &&
         effort_.spend(static_cast<int64_t>(pieces_.size()))) {
    std::partial_sort(pieces_.begin(), pieces_.begin() + std::min<size_t>(2, pieces_.size()),
                      pieces_.end(),
                      [](const Piece& a, const Piece& b) { return a.height() > b.height(); });
    int64_t target = layout_.lower_bound;
    if (pieces_.size() > 1) target = std::max(target, pieces_[1].height() - 1);
    Piece& highest = pieces_[0];
    highest.solver->improve(target - highest.part.base, effort_);
    update();
  }
  for (const Piece& piece : pieces_) {
    for (size_t i = 0; i < piece.part.ids.size(); ++i)
      layout_.offsets[piece.part.ids[i]] = piece.part.base + piece.solver->offsets()[i];
  }
  if (layout_.lower_bound > 0) {
    layout_.gap =
        static_cast<double>(layout_.height) / static_cast<double>(layout_.lower_bound) - 1;
  }
  layout_.seconds = effort_.seconds();
  return std::move(layout_);
}

}  // namespace

std::string_view stage_name(Stage stage) {
  switch (stage) {
    case Stage::kTrivial:
      return "trivial";
    case Stage::kGreedy:
      return "greedy";
    case Stage::kLocalSearch:
      return "local search";
    case Stage::kExact:
      return "exact search";
  }
  return "";
}

Layout plan_offsets(std::span<const Block> blocks, const Options& options) {
  return with_memory_errors(
      "plan", [&] { return Planning(checked_blocks(blocks, options), options).run(); });
}

}  // namespace penstock::plan
