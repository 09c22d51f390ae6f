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

// Uniform in [0, n): numbers that would favour small values are rejected.
template <typename Word>
Word below(Word n, auto next) {
  if ((n & (n - 1)) == 0) return next() & (n - 1);
  const Word most = static_cast<Word>(~Word{0});
  const Word rest = most % n + 1;
  Word word = next();
  while (word >= most - rest) word = next();
  return word % n;
}
uint32_t below_32(uint32_t n, PhiloxWords& words) {
  return below<uint32_t>(n, [&] { return words.next(); });
}

}  // namespace

int64_t UniformRange::draw(PhiloxWords& words) const {
  return static_cast<int64_t>(
      below<uint64_t>(static_cast<uint64_t>(range), [&] { return next_64(words); }));
}

int64_t LogUniformRange::draw(PhiloxWords& words) const {
  const double log_range = std::log1p(static_cast<double>(range));
  const uint32_t high = words.next();
  const double value = std::exp(unit_double(high, words.next()) * log_range);
  return std::max<int64_t>(0, static_cast<int64_t>(std::min(value, 0x1p62)) - 1) % range;
}
double LogUniformRange::chance(int64_t value) const {
  const double n = static_cast<double>(range), k = static_cast<double>(value);
  return std::log((k + 2) / (k + 1)) / std::log1p(n);
}

AliasTable::AliasTable(std::span<const float> weights, void* scratch) : weights_(weights) {
  const size_t n = weights.size();
  double* const shares = static_cast<double*>(scratch);
  int32_t* const partners = reinterpret_cast<int32_t*>(shares + n);
  // Two stacks that grow towards each other: numbers below an even chance, and the others.
  int32_t* const stack = partners + n;
  size_t low = 0, high = n;
  double sum = 0;
  for (float weight : weights) {
    sum += weight;
    total_ += weight;
  }
  for (size_t i = 0; i < n; ++i) {
    shares[i] = static_cast<double>(weights[i] * static_cast<float>(n)) / sum;
    (shares[i] < 1 ? stack[low++] : stack[--high]) = static_cast<int32_t>(i);
  }
  while (low > 0 && high < n) {
    const int32_t poor = stack[--low], rich = stack[high++];
    partners[poor] = rich;
    shares[rich] -= 1 - shares[poor];
    (shares[rich] < 1 ? stack[low++] : stack[--high]) = rich;
  }
  const auto settle = [&](size_t i) {
    shares[stack[i]] = 1;
    partners[stack[i]] = stack[i];
  };
  for (size_t i = 0; i < low; ++i) settle(i);
  for (size_t i = high; i < n; ++i) settle(i);
  shares_ = shares;
  partners_ = partners;
}
int64_t AliasTable::draw(PhiloxWords& words) const {
  const float share = unit_float(words.next());
  const uint32_t i = below_32(static_cast<uint32_t>(weights_.size()), words);
  return share < static_cast<float>(shares_[i]) ? static_cast<int32_t>(i) : partners_[i];
}
double AliasTable::chance(int64_t value) const {
  return weights_[static_cast<size_t>(value)] / total_;
}

CumulativeWeights::CumulativeWeights(std::span<const int32_t> weights, void* scratch)
    : weights_(weights), sums_(static_cast<int64_t*>(scratch), weights.size()) {
  int64_t sum = 0, *next = static_cast<int64_t*>(scratch);
  for (int32_t weight : weights) *next++ = sum += weight;
}
int64_t CumulativeWeights::draw(PhiloxWords& words) const {
  const int64_t place = below_32(static_cast<uint32_t>(total()), words);
  return std::upper_bound(sums_.begin(), sums_.end(), place) - sums_.begin();
}
double CumulativeWeights::chance(int64_t value) const {
  return static_cast<float>(weights_[static_cast<size_t>(value)]) / static_cast<float>(total());
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

float expected_count(double chance, int64_t count, int64_t draws) {
  if (draws == count) return static_cast<float>(chance * static_cast<double>(count));
  return static_cast<float>(-std::expm1(static_cast<double>(draws) * std::log1p(-chance)));
}

}  // namespace penstock::kernels
