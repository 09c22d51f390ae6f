// Random numbers of datasets, as TensorFlow draws them.
#pragma once

#include <cstdint>
#include <mutex>

#include "data/stage.h"
#include "kernels/philox.h"

namespace penstock::data {

struct SeedPair {
  uint64_t seed = 0, seed2 = 0;
};

// The 32-bit words of a stream, one after the other.
class RandomWords {
 public:
  explicit RandomWords(const SeedPair& seeds)
      : stream_(kernels::PhiloxStream::seeded(seeds.seed, seeds.seed2)) {}
  uint32_t next() {
    const uint32_t word = peek();
    ++taken_;
    return word;
  }
  // The word that next() will give.
  uint32_t peek() {
    if (taken_ / 4 != block_at_) {
      block_at_ = taken_ / 4;
      block_ = stream_.block(block_at_);
    }
    return block_[taken_ % 4];
  }
  uint64_t taken() const { return taken_; }
  void seek(uint64_t taken) { taken_ = taken; }

 private:
  kernels::PhiloxStream stream_;
  kernels::PhiloxBlock block_{};
  uint64_t block_at_ = UINT64_MAX;  // the block that is in block_
  uint64_t taken_ = 0;
};

// The seeds of a dataset's iterators. With `is_renewed` each one that is made takes the next pair;
// otherwise all have the pair of the dataset.
class SeedGenerator : public Shared {
 public:
  SeedGenerator(const SeedPair& seeds, bool is_renewed)
      : seeds_(seeds), is_renewed_(is_renewed), words_(seeds) {}
  SeedPair next();
  // The number of words drawn; saved and restored with an iterator.
  uint64_t taken();
  void seek(uint64_t taken);

 private:
  const SeedPair seeds_;
  const bool is_renewed_;
  std::mutex mutex_;
  RandomWords words_;
};

// The generator of a stage whose operands `seed` and `seed + 1` are its seeds.
std::shared_ptr<Shared> share_seeds(const DatasetState& state, size_t seed, bool is_renewed);
inline SeedGenerator& seeds_of(const DatasetState& state) {
  return static_cast<SeedGenerator&>(*state.shared);
}

// The words of one iterator after the other: its seeds come from the dataset's generator.
class IteratorWords {
 public:
  explicit IteratorWords(SeedGenerator& generator)
      : generator_(generator), seeds_(generator.next()), words_(seeds_) {}
  RandomWords& operator*() { return words_; }
  RandomWords* operator->() { return &words_; }
  // Goes on with new seeds.
  void renew();
  void save(StateWriter& out);
  void restore(StateReader& in);

 private:
  SeedGenerator& generator_;
  SeedPair seeds_;
  RandomWords words_;
};

}  // namespace penstock::data
