#include "plan/solver.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "plan/greedy.h"
#include "plan/stack.h"

namespace penstock::plan {
namespace {

// The work of the first of the increasing rounds of local and exact search.
constexpr int64_t kFirstRound = 4'000'000;

// The shares of the gap that the exact search tries to close at once.
constexpr double kLongestStride = 0.5;
constexpr double kShortestStride = 0.05;

constexpr Order kOrders[] = {Order::kSizeAndWidth, Order::kWidth, Order::kArea, Order::kContention};

constexpr StackTaste kTastes[] = {
    {.least_size = 1e-6},
    {.size = 4},
    {.size = 0, .width = 4, .least_size = 1e-4},
    {.waste = 4},
};

StackTaste random_taste(Random& random) {
  constexpr double kLeastSizes[] = {0, 1e-6, 1e-5, 1e-4, 1e-3};
  return {.waste = random.uniform() < 0.5 ? 1.0 : 4.0,
          .size = 4 * random.uniform() * random.uniform(),
          .width = 4 * random.uniform() * random.uniform(),
          .noise = random.uniform() * random.uniform(),
          .least_size = kLeastSizes[random.below(std::size(kLeastSizes))]};
}

}  // namespace

Solver::Solver(Problem problem, uint64_t seed)
    : problem_(std::move(problem)),
      random_(seed),
      height_(std::numeric_limits<int64_t>::max()),
      bound_(problem_.bound) {}

void Solver::take(std::vector<int64_t> offsets, Stage stage) {
  const int64_t height = height_of(problem_, offsets);
  if (height < height_) stage_ = stage;
  height_ = height;
  offsets_ = std::move(offsets);
}

void Solver::start(int64_t target, Effort& effort) {
  take(replay(problem_), problem_.count() == 1 ? Stage::kTrivial : Stage::kGreedy);
  std::vector<int64_t> offsets(problem_.size.size());
  const auto fit = [&](Order order) {
    if (is_done(target) || effort.over()) return;
    if (lowest_fit(problem_, {}, ordered(problem_, order), height_ - 1, effort, offsets))
      take(offsets, Stage::kGreedy);
  };
  fit(Order::kSize);
  for (const StackTaste& taste : kTastes) {
    if (is_done(target) || effort.over()) return;
    if (stack(problem_, taste, height_ - 1, random_, effort, offsets))
      take(offsets, Stage::kGreedy);
  }
  for (const Order order : kOrders) fit(order);
}

void Solver::improve(int64_t target, Effort& effort) {
  const bool searches = Search::is_feasible(problem_);
  for (int64_t steps = kFirstRound; !is_done(target) && !effort.over(); steps *= 2) {
    walk(target, searches ? steps / 4 : effort.left(), effort);
    if (searches) search(target, steps, effort);
  }
}

// Local search: orders that differ slightly from the layout's, and other stacks.
void Solver::walk(int64_t target, int64_t steps, Effort& effort) {
  const int64_t end = effort.left() - steps;
  std::vector<int64_t> offsets;
  while (!is_done(target) && !effort.over() && effort.left() > end) {
    if (stack(problem_, random_taste(random_), height_, random_, effort, offsets))
      take(offsets, Stage::kLocalSearch);
    for (int tries = 8; tries > 0 && !is_done(target) && !effort.over(); --tries) shake(effort);
  }
}

// Places the topmost blocks earlier than before. True if the layout got no higher.
bool Solver::shake(Effort& effort) {
  const std::vector<int32_t> order = by_offset(offsets_);
  std::vector<std::pair<double, int32_t>> keyed;
  keyed.reserve(order.size());
  for (const int32_t block : order) {
    auto place = static_cast<double>(keyed.size());
    if (offsets_[block] + problem_.size[block] == height_) place *= random_.uniform();
    keyed.emplace_back(place, block);
  }
  std::sort(keyed.begin(), keyed.end());
  std::vector<int32_t> changed;
  changed.reserve(order.size());
  for (const auto& [place, block] : keyed) changed.push_back(block);
  std::vector<int64_t> offsets(order.size());
  if (!lowest_fit(problem_, {}, changed, height_, effort, offsets)) return false;
  take(std::move(offsets), Stage::kLocalSearch);
  return true;
}

// The exact search: first at the least height of interest, then step by step below the layout's
// height until it gives up. A step is a share of the gap, smaller after a failure.
void Solver::search(int64_t target, int64_t steps, Effort& effort) {
  if (!at_least_) {
    at_least_ = std::make_unique<Search>(problem_, random_.bits());
    below_ = std::make_unique<Search>(problem_, random_.bits());
  }
  const int64_t grain = problem_.grain;
  const int64_t least = std::max(bound_, target / grain * grain);
  at_least_->forget();
  if (try_height(*at_least_, least, steps, effort)) return;
  bool found = true;
  while (found && !is_done(target) && !effort.over()) {
    const auto gap = static_cast<double>(height_ - std::max(bound_, target));
    const int64_t step = std::max(static_cast<int64_t>(gap * stride_) / grain, int64_t{1}) * grain;
    found = try_height(*below_, height_ - step, steps, effort);
    stride_ =
        found ? std::min(kLongestStride, 1.5 * stride_) : std::max(kShortestStride, stride_ / 2);
  }
}

// Searches for a layout of at most `height`; a proof that there is none raises the bound.
bool Solver::try_height(Search& search, int64_t height, int64_t steps, Effort& effort) {
  const Search::Answer answer = search.run(height, steps, effort);
  if (answer == Search::Answer::kImpossible) bound_ = std::max(bound_, height + problem_.grain);
  if (answer != Search::Answer::kFound) return false;
  take(search.offsets(), Stage::kExact);
  return true;
}

}  // namespace penstock::plan
