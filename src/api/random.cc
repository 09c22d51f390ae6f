#include <penstock/api/random.h>

#include <mutex>
#include <random>

#include <penstock/ops/grad_helpers.h>

namespace penstock::random {
namespace {

constexpr int64_t kSeedWithoutGlobal = 87654321;  // the key of calls that have only their own seed

// Seeds std::mt19937 as Python's random.Random(seed) does: the words of the seed are its key.
struct PythonSeed {
  using result_type = uint32_t;
  uint64_t seed;

  template <typename It>
  void generate(It first, It last) const {
    const auto n = static_cast<uint32_t>(last - first);
    const uint32_t key[2] = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
    const uint32_t length = key[1] != 0 ? 2 : 1;
    first[0] = 19650218u;
    for (uint32_t i = 1; i < n; ++i)
      first[i] = 1812433253u * (first[i - 1] ^ (first[i - 1] >> 30)) + i;
    uint32_t i = 1;
    for (uint32_t k = 0; k < n; ++k) {
      const uint32_t j = k % length;
      first[i] = (first[i] ^ ((first[i - 1] ^ (first[i - 1] >> 30)) * 1664525u)) + key[j] + j;
      advance(first, n, i);
    }
    for (uint32_t k = 1; k < n; ++k) {
      first[i] = (first[i] ^ ((first[i - 1] ^ (first[i - 1] >> 30)) * 1566083941u)) - i;
      advance(first, n, i);
    }
    first[0] = 0x80000000u;
  }

 private:
  template <typename It>
  static void advance(It first, uint32_t n, uint32_t& i) {
    if (++i < n) return;
    first[0] = first[n - 1];
    i = 1;
  }
};

struct Seeds {
  std::mutex mutex;
  std::optional<uint64_t> global;
  std::mt19937 sequence{std::random_device()()};
};
Seeds& seeds() {
  static Seeds instance;
  return instance;
}

// The next number in [0, 2^31) as Python's randint draws it.
int64_t draw(std::mt19937& sequence) {
  for (;;) {
    const uint32_t word = sequence();
    if (word < (1u << 31)) return word;
  }
}

struct Key {
  int64_t seed;
  int64_t op_seed;
};
Key next_key(std::optional<int64_t> op_seed) {
  Seeds& s = seeds();
  const std::lock_guard lock(s.mutex);
  if (op_seed) return {s.global ? static_cast<int64_t>(*s.global) : kSeedWithoutGlobal, *op_seed};
  if (s.global) return {static_cast<int64_t>(*s.global), draw(s.sequence)};
  return {draw(s.sequence), draw(s.sequence)};
}

}  // namespace

void set_seed(uint64_t seed) {
  Seeds& s = seeds();
  const std::lock_guard lock(s.mutex);
  s.global = seed;
  PythonSeed python{seed};
  s.sequence.seed(python);
}

Tensor normal(const Shape& shape, const NormalOptions& options) {
  const Key key = next_key(options.seed);
  Tensor values = random_normal(shape_tensor(shape), options.dtype, key.seed, key.op_seed);
  if (options.stddev != 1) values = std::move(values) * options.stddev;
  if (options.mean != 0) values = std::move(values) + options.mean;
  return values;
}

Tensor uniform(const Shape& shape, const UniformOptions& options) {
  const Key key = next_key(options.seed);
  Tensor values = random_uniform(shape_tensor(shape), options.dtype, key.seed, key.op_seed);
  if (options.low != 0 || options.high != 1) {
    values = std::move(values) * (options.high - options.low) + options.low;
  }
  return values;
}

}  // namespace penstock::random
