#include "kernels/candidates.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace penstock::kernels {
namespace {

constexpr int64_t kFree = -1;

uint64_t next_64(PhiloxWords& words) {
  const uint64_t low = words.next();
  return low | (static_cast<uint64_t>(words.next()) << 32);
}

// In [0, n), all alike: what would favour small numbers is drawn again.
uint64_t below(uint64_t n, PhiloxWords& words) {
  if ((n & (n - 1)) == 0) return next_64(words) & (n - 1);
  const uint64_t most = ~uint64_t{0};
  const uint64_t rest = most % n + 1;
  uint64_t word = next_64(words);
  while (word >= most - rest) word = next_64(words);
  return word % n;
}

int64_t draw(const CandidateRange& range, PhiloxWords& words) {
  if (!range.log_uniform) {
    return static_cast<int64_t>(below(static_cast<uint64_t>(range.range), words));
  }
  const double log_range = std::log1p(static_cast<double>(range.range));
  const uint32_t high = words.next();
  const double value = std::exp(unit_double(high, words.next()) * log_range);
  return std::max<int64_t>(0, static_cast<int64_t>(std::min(value, 0x1p62)) - 1) % range.range;
}

}  // namespace

double CandidateRange::chance(int64_t value) const {
  const double n = static_cast<double>(range), k = static_cast<double>(value);
  return log_uniform ? std::log((k + 2) / (k + 1)) / std::log1p(n) : 1 / n;
}

int64_t PlaceTable::slots(int64_t count) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(2 * count + 1)));
}
PlaceTable::PlaceTable(int64_t* pairs, int64_t slots) : pairs_(pairs), mask_(slots - 1) {
  for (int64_t i = 0; i < slots; ++i) pairs_[2 * i + 1] = kFree;
}
int64_t* PlaceTable::slot_of(int64_t number) const {
  const uint64_t hash = static_cast<uint64_t>(number) * 0x9E3779B97F4A7C15u;
  int64_t i = static_cast<int64_t>(hash >> 20) & mask_;
  while (pairs_[2 * i + 1] != kFree && pairs_[2 * i] != number) i = (i + 1) & mask_;
  return pairs_ + 2 * i;
}
bool PlaceTable::put(int64_t number, int64_t place) {
  int64_t* slot = slot_of(number);
  const bool is_new = slot[1] == kFree;
  slot[0] = number;
  slot[1] = place;
  return is_new;
}
int64_t PlaceTable::find(int64_t number) const { return slot_of(number)[1]; }

int64_t draw_candidates(const CandidateRange& range, PhiloxStream stream, int64_t count,
                        PlaceTable* table, int64_t* sampled) {
  PhiloxWords words(stream);
  int64_t draws = 0;
  for (int64_t i = 0; i < count; ++draws) {
    const int64_t value = draw(range, words);
    if (table != nullptr && !table->put(value, i)) continue;
    sampled[i++] = value;
  }
  return draws;
}

float expected_count(const CandidateRange& range, int64_t value, int64_t count, int64_t draws) {
  const double p = range.chance(value);
  if (draws == count) return static_cast<float>(p * static_cast<double>(count));
  return static_cast<float>(-std::expm1(static_cast<double>(draws) * std::log1p(-p)));
}

}  // namespace penstock::kernels
