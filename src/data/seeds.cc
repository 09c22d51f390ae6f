#include "data/seeds.h"

namespace penstock::data {

SeedPair SeedGenerator::next() {
  if (!is_renewed_) return seeds_;
  const std::lock_guard lock(mutex_);
  const uint64_t first = words_.next();
  return {first, words_.next()};
}

uint64_t SeedGenerator::taken() {
  const std::lock_guard lock(mutex_);
  return words_.taken();
}

void SeedGenerator::seek(uint64_t taken) {
  const std::lock_guard lock(mutex_);
  words_.seek(taken);
}

std::shared_ptr<Shared> share_seeds(const DatasetState& state, size_t seed, bool is_renewed) {
  const auto first = state.operands[seed].item<int64_t>();
  const auto second = state.operands[seed + 1].item<int64_t>();
  return std::make_shared<SeedGenerator>(
      SeedPair{static_cast<uint64_t>(first), static_cast<uint64_t>(second)}, is_renewed);
}

void IteratorWords::renew() {
  seeds_ = generator_.next();
  words_ = RandomWords(seeds_);
}

void IteratorWords::save(StateWriter& out) {
  out.number(static_cast<int64_t>(seeds_.seed));
  out.number(static_cast<int64_t>(seeds_.seed2));
  out.number(static_cast<int64_t>(words_.taken()));
  out.number(static_cast<int64_t>(generator_.taken()));
}

void IteratorWords::restore(StateReader& in) {
  seeds_.seed = static_cast<uint64_t>(in.number());
  seeds_.seed2 = static_cast<uint64_t>(in.number());
  words_ = RandomWords(seeds_);
  words_.seek(static_cast<uint64_t>(in.number()));
  generator_.seek(static_cast<uint64_t>(in.number()));
}

}  // namespace penstock::data
