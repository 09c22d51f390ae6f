// Candidate sampling: draws classes for sampled losses, with TensorFlow's random stream.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/philox.h"

namespace penstock::kernels {

// A distribution has draw(), a number in [0, range), and chance(), the probability of a number.

struct UniformRange {
  int64_t range;
  int64_t draw(PhiloxWords& words) const;
  double chance(int64_t) const { return 1 / static_cast<double>(range); }
};

// Probabilities fall off as log((k + 2) / (k + 1)).
struct LogUniformRange {
  int64_t range;
  int64_t draw(PhiloxWords& words) const;
  double chance(int64_t value) const;
};

// Probabilities proportional to weights. Draws take constant time, by the alias method.
class AliasTable {
 public:
  static constexpr int64_t kScratchPerWeight = sizeof(double) + 2 * sizeof(int32_t);
  // Pre: the weights are finite and not negative, their sum is positive, and there are fewer than
  // 2^31; scratch has kScratchPerWeight bytes for each.
  AliasTable(std::span<const float> weights, void* scratch);
  int64_t draw(PhiloxWords& words) const;
  double chance(int64_t value) const;

 private:
  std::span<const float> weights_;
  float total_ = 0;
  const double* shares_;     // the share of an even chance that the number keeps
  const int32_t* partners_;  // the number that gets the rest
};

// Probabilities proportional to integer weights; draws search the cumulative sums.
class CumulativeWeights {
 public:
  static constexpr int64_t kScratchPerWeight = sizeof(int64_t);
  // Pre: the weights are not negative; scratch has kScratchPerWeight bytes for each.
  CumulativeWeights(std::span<const int32_t> weights, void* scratch);
  int64_t total() const { return sums_.empty() ? 0 : sums_.back(); }
  // Pre: 0 < total() < 2^32.
  int64_t draw(PhiloxWords& words) const;
  double chance(int64_t value) const;

 private:
  std::span<const int32_t> weights_;
  std::span<const int64_t> sums_;
};

// A set of numbers, each with the position it was last inserted with, in `slots` pairs of scratch.
class PlaceTable {
 public:
  static int64_t slots(int64_t count);  // for that many numbers
  PlaceTable(int64_t* pairs, int64_t slots);
  // False if the number was present; its position is replaced.
  bool put(int64_t number, int64_t place);
  // -1 if the number is absent.
  int64_t find(int64_t number) const;

 private:
  int64_t* slot_of(int64_t number) const;
  int64_t* pairs_;
  int64_t mask_;
};

// Fills `sampled` and returns the number of draws, which exceeds `count` if numbers must be
// distinct; 0 if not enough distinct numbers were found. `table` is used unless null.
template <typename Distribution>
int64_t draw_candidates(const Distribution& distribution, PhiloxStream stream, int64_t count,
                        PlaceTable* table, int64_t* sampled) {
  constexpr int64_t kMaxVain = int64_t{1} << 24;  // consecutive draws without a new number
  PhiloxWords words(stream);
  int64_t draws = 0, vain = 0;
  for (int64_t i = 0; i < count; ++draws) {
    const int64_t value = distribution.draw(words);
    if (table != nullptr && !table->put(value, i)) {
      if (++vain == kMaxVain) return 0;
      continue;
    }
    vain = 0;
    sampled[i++] = value;
  }
  return draws;
}

// The expected count of a number of that probability among `count` sampled ones that took `draws`
// draws.
float expected_count(double chance, int64_t count, int64_t draws);

}  // namespace penstock::kernels
