#include <penstock/api/random.h>

#include <mutex>
#include <random>

#include <penstock/base/strings.h>
#include <penstock/exec/function.h>
#include <penstock/exec/random_states.h>
#include <penstock/ops/grad_helpers.h>

#include "api/random_scale.h"
#include "ops/op_defs.h"

namespace penstock::random {
namespace {

constexpr int64_t kSeedWithoutGlobal = 87654321;  // the key of calls that have only their own seed
constexpr int64_t kLargestSeed = (int64_t{1} << 31) - 1;

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
  static Seeds& instance = *new Seeds;  // never destroyed: threads may draw until the process exits
  return instance;
}

// The next number in [0, 2^31), as in Python's randint.
int64_t draw(std::mt19937& sequence) {
  for (;;) {
    const uint32_t word = sequence();
    if (word < (1u << 31)) return word;
  }
}

// Reduces a seed as TensorFlow does: Python's remainder, never negative.
int64_t truncated(int64_t seed) {
  const int64_t rest = seed % kLargestSeed;
  return rest < 0 ? rest + kLargestSeed : rest;
}
int64_t truncated(uint64_t seed) { return static_cast<int64_t>(seed % uint64_t{kLargestSeed}); }

// The attributes of a random op that has them.
struct Stream {
  int64_t seed;
  int64_t seed2;
  int64_t skip;  // negative: after the last call with the same seeds
};

Stream next_stream(std::optional<int64_t> own) {
  Seeds& s = seeds();
  const std::lock_guard lock(s.mutex);
  if (!own && !s.global) return {draw(s.sequence), draw(s.sequence), 0};
  const int64_t seed = s.global ? truncated(*s.global) : kSeedWithoutGlobal;
  int64_t seed2 = truncated(own ? *own : draw(s.sequence));
  if (seed == 0 && seed2 == 0) seed2 = kLargestSeed;
  return {seed, seed2, own ? -1 : 0};
}

}  // namespace

void set_seed(uint64_t seed) {
  Seeds& s = seeds();
  const std::lock_guard lock(s.mutex);
  s.global = seed;
  PythonSeed python{seed};
  s.sequence.seed(python);
  restart_random_streams();
}

Tensor normal(const Shape& shape, const NormalOptions& options) {
  const Stream s = next_stream(options.seed);
  return scaled(random_normal(shape_tensor(shape), options.dtype, s.seed, s.seed2, s.skip),
                options);
}

Tensor truncated_normal(const Shape& shape, const NormalOptions& options) {
  const Stream s = next_stream(options.seed);
  return scaled(
      penstock::truncated_normal(shape_tensor(shape), options.dtype, s.seed, s.seed2, s.skip),
      options);
}

Tensor uniform(const Shape& shape, const UniformOptions& options) {
  const Stream s = next_stream(options.seed);
  return scaled(random_uniform(shape_tensor(shape), options.dtype, s.seed, s.seed2, s.skip),
                options);
}

Tensor uniform_int(const Shape& shape, int64_t low, int64_t high, const DrawOptions& options) {
  const Stream s = next_stream(options.seed);
  const IntBounds bounds = int_bounds(options.dtype, low, high);
  return random_uniform_int(shape_tensor(shape), bounds.low, bounds.high, s.seed, s.seed2, s.skip);
}

Tensor gamma(const Shape& shape, const Operand& alpha, const GammaOptions& options) {
  const Tensor& a = alpha.tensor();
  const Stream s = next_stream(options.seed);
  Tensor values = random_gamma(shape_tensor(shape), a, s.seed, s.seed2, s.skip);
  if (options.beta != 1) values = std::move(values) / options.beta;
  return values;
}

Tensor poisson(const Shape& shape, const Operand& rate, const DrawOptions& options) {
  const Tensor& r = rate.tensor();
  const Stream s = next_stream(options.seed);
  return random_poisson(shape_tensor(shape), r, s.seed, s.seed2, s.skip, options.dtype);
}

Tensor categorical(const Operand& logits, int64_t count, const DrawOptions& options) {
  const Tensor& l = logits.tensor();
  if (l.rank() != 2) {
    throw InvalidArgumentError(
        cat("[", multinomial_op.name.value, "] logits should be a matrix, got ", l.shape()));
  }
  if (count < 0 || count > kLargestSeed)
    throw InvalidArgumentError(
        cat("[", multinomial_op.name.value, "] num_samples cannot be ", count));
  const Stream s = next_stream(options.seed);
  return multinomial(l, Tensor(static_cast<int32_t>(count)), s.seed, s.seed2, s.skip,
                     options.dtype);
}

Tensor shuffle(const Operand& value, std::optional<int64_t> seed) {
  const Tensor& v = value.tensor();
  const Stream s = next_stream(seed);
  return random_shuffle(v, s.seed, s.seed2, s.skip);
}

}  // namespace penstock::random
