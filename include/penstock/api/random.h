// Random tensors from Philox streams: the same seeds give the same numbers as in TensorFlow.
//
// Two seeds select the stream of a call: the global seed (set_seed) and the call's own. Calls
// without their own seed take the next one of a sequence that starts at the global seed, or a
// non-deterministic one before set_seed. Calls with the same own seed share a stream and continue
// it. The stateless_… functions take a seed pair and always give the same numbers. A Generator
// carries its own stream.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <penstock/base/export.h>
#include <penstock/exec/variable.h>
#include <penstock/tensor/tensor.h>

namespace penstock::random {

// Makes the following numbers the same in every run; all streams restart.
PEN_API void set_seed(uint64_t seed);

struct NormalOptions {
  double mean = 0;
  double stddev = 1;
  DType dtype = DType::kFloat32;
  std::optional<int64_t> seed = {};
};
PEN_API Tensor normal(const Shape& shape, const NormalOptions& options = {});
// As normal, without values more than two standard deviations from the mean.
PEN_API Tensor truncated_normal(const Shape& shape, const NormalOptions& options = {});

struct UniformOptions {
  double low = 0;
  double high = 1;
  DType dtype = DType::kFloat32;
  std::optional<int64_t> seed = {};
};
// Floats in [low, high).
PEN_API Tensor uniform(const Shape& shape, const UniformOptions& options = {});

struct DrawOptions {
  DType dtype = DType::kInt64;
  std::optional<int64_t> seed = {};
};
// Integers in [low, high), of dtype int32 or int64.
PEN_API Tensor uniform_int(const Shape& shape, int64_t low, int64_t high,
                           const DrawOptions& options = {});
// `shape` Poisson numbers for each rate.
PEN_API Tensor poisson(const Shape& shape, const Operand& rate, const DrawOptions& options = {});
// `count` classes for each row of logits (unnormalised log-probabilities).
PEN_API Tensor categorical(const Operand& logits, int64_t count, const DrawOptions& options = {});

struct GammaOptions {
  double beta = 1;  // the inverse scale
  std::optional<int64_t> seed = {};
};
// `shape` gamma numbers for each alpha, of its dtype.
PEN_API Tensor gamma(const Shape& shape, const Operand& alpha, const GammaOptions& options = {});

// The rows of `value` in a random order.
PEN_API Tensor shuffle(const Operand& value, std::optional<int64_t> seed = {});

// Functions of a seed pair; a seed in the options is refused.
using SeedPair = std::array<int64_t, 2>;
PEN_API Tensor stateless_normal(const Shape& shape, SeedPair seeds,
                                const NormalOptions& options = {});
PEN_API Tensor stateless_truncated_normal(const Shape& shape, SeedPair seeds,
                                          const NormalOptions& options = {});
PEN_API Tensor stateless_uniform(const Shape& shape, SeedPair seeds,
                                 const UniformOptions& options = {});
PEN_API Tensor stateless_uniform_int(const Shape& shape, SeedPair seeds, int64_t low, int64_t high,
                                     const DrawOptions& options = {});
PEN_API Tensor stateless_shuffle(const Operand& value, SeedPair seeds);

// A generator with its own stream. Copies share the stream; concurrent calls take turns.
class PEN_API Generator {
 public:
  static Generator from_seed(uint64_t seed);
  // The state is three numbers: the counter's lower and upper half and the key. Throws
  // InvalidArgumentError for another shape, TypeError for a dtype other than int64.
  static Generator from_state(const Tensor& state);
  static Generator from_key_counter(int64_t key, std::array<int64_t, 2> counter);
  // Starts at an unpredictable state.
  static Generator from_non_deterministic_state();

  // The state; assigning to it resets the generator.
  const Variable& state() const;

  // As the functions of that name; a seed in the options is refused.
  Tensor normal(const Shape& shape, const NormalOptions& options = {}) const;
  Tensor truncated_normal(const Shape& shape, const NormalOptions& options = {}) const;
  Tensor uniform(const Shape& shape, const UniformOptions& options = {}) const;
  Tensor uniform_int(const Shape& shape, int64_t low, int64_t high,
                     const DrawOptions& options = {}) const;
  // Random bits, of an integer dtype of 32 or 64 bits.
  Tensor uniform_full_int(const Shape& shape, DType dtype = DType::kUInt64) const;
  // The number of successes in `counts` trials with probability `probs`. `shape` ends with the
  // broadcast shape of these two.
  Tensor binomial(const Shape& shape, const Operand& counts, const Operand& probs,
                  const DrawOptions& options = {}) const;
  // [2, count] seeds for the stateless functions.
  Tensor make_seeds(int64_t count) const;
  // Generators whose streams are independent of each other and of this one.
  std::vector<Generator> split(int64_t count) const;
  // Skips the state that `count` numbers would use.
  void skip(int64_t count) const;

 private:
  struct State;
  explicit Generator(const Tensor& state);

  std::shared_ptr<State> state_;
};

}  // namespace penstock::random
