#include "plan/checkpoints.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace penstock::plan {
namespace {

constexpr int64_t kMany = std::numeric_limits<int64_t>::max() / 4;

// C(s + r, s): the steps that s states and r repetitions reach. 0 if either is negative.
int64_t reach(int64_t s, int64_t r) {
  if (s < 0 || r < 0) return 0;
  __int128 product = 1;
  for (int64_t i = 1; i <= std::min(s, r); ++i) {
    product = product * (s + r - std::min(s, r) + i) / i;
    if (product > kMany) return kMany;
  }
  return static_cast<int64_t>(product);
}

// The fewest repetitions for n steps.
int64_t repetitions(int64_t n, int64_t s) {
  int64_t r = 0;
  while (reach(s, r) < n) ++r;
  return r;
}

}  // namespace

int64_t num_advances(int64_t n, int64_t s) {
  if (n <= 1) return 0;
  if (s == 1) return n * (n - 1) / 2;
  const int64_t r = repetitions(n, s);
  return r * n - reach(s + 1, r - 1);
}

int64_t next_kept(int64_t n, int64_t s) {
  const int64_t r = repetitions(n, s);
  const int64_t most = std::min(reach(s, r - 1), n - reach(s - 1, r - 1));
  const int64_t least = std::max(reach(s, r - 2), n - reach(s - 1, r));
  return std::clamp<int64_t>(most, std::max<int64_t>(least, 1), n - 1);
}

int64_t default_checkpoints(int64_t n) {
  int64_t s = 1;
  while (reach(s, 2) < n) ++s;
  return std::max<int64_t>(s - 1, 1);
}

std::vector<int64_t> kept_on_way(int64_t trips, int64_t checkpoints) {
  std::vector<int64_t> steps;
  int64_t at = 0;
  for (int64_t states = checkpoints + 1; states > 1 && trips - at >= 2; --states) {
    at += next_kept(trips - at, states);
    steps.push_back(at);
  }
  return steps;
}

int64_t online_checkpoints(int64_t steps) {
  const double wanted = std::ceil(std::sqrt(2.0 * static_cast<double>(steps)));
  return std::max<int64_t>(8, static_cast<int64_t>(wanted));
}

}  // namespace penstock::plan
