// Random tensors: Philox streams, the same numbers as TensorFlow's for the same seeds.
//
// A call draws from a stream. Which one, two seeds say: the global one (set_seed) and the call's
// own. Calls without a seed of their own take the next of a sequence that the global one begins (or
// an unforeseeable one before set_seed). Calls with the same own seed share a stream and go on in
// it. Functions of a seed pair (stateless_…) always give the same numbers; a Generator carries its
// stream with it.
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

// From here on the numbers are the same in every run; all streams begin anew.
PEN_API void set_seed(uint64_t seed);

struct NormalOptions {
  double mean = 0;
  double stddev = 1;
  DType dtype = DType::kFloat32;
  std::optional<int64_t> seed = {};
};
PEN_API Tensor normal(const Shape& shape, const NormalOptions& options = {});
// Those further from the mean than two standard deviations left out.
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
// Whole numbers in [low, high), of dtype int32 or int64.
PEN_API Tensor uniform_int(const Shape& shape, int64_t low, int64_t high,
                           const DrawOptions& options = {});
// `shape` Poisson numbers for each rate.
PEN_API Tensor poisson(const Shape& shape, const Operand& rate, const DrawOptions& options = {});
// `count` classes for each row of logits, drawn by these unnormalised log-probabilities.
PEN_API Tensor categorical(const Operand& logits, int64_t count, const DrawOptions& options = {});

struct GammaOptions {
  double beta = 1;  // the inverse scale
  std::optional<int64_t> seed = {};
};
// `shape` gamma numbers for each alpha, of its dtype.
PEN_API Tensor gamma(const Shape& shape, const Operand& alpha, const GammaOptions& options = {});

// The rows of `value` in a random order.
PEN_API Tensor shuffle(const Operand& value, std::optional<int64_t> seed = {});

// Functions of a pair of seeds; an own seed in the options is refused.
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

// A stream of its own. Copies of a Generator are the same generator; its calls take turns.
class PEN_API Generator {
 public:
  static Generator from_seed(uint64_t seed);
  // Three numbers: the counter's lower and upper half and the key. Throws InvalidArgumentError for
  // another shape, TypeError for another dtype than int64.
  static Generator from_state(const Tensor& state);
  static Generator from_key_counter(int64_t key, std::array<int64_t, 2> counter);
  // Unforeseeable.
  static Generator from_non_deterministic_state();

  // Its state; assigning to it sets the generator back.
  const Variable& state() const;

  // As the functions of that name; an own seed in the options is refused.
  Tensor normal(const Shape& shape, const NormalOptions& options = {}) const;
  Tensor truncated_normal(const Shape& shape, const NormalOptions& options = {}) const;
  Tensor uniform(const Shape& shape, const UniformOptions& options = {}) const;
  Tensor uniform_int(const Shape& shape, int64_t low, int64_t high,
                     const DrawOptions& options = {}) const;
  // Random bits, of an integer dtype of 32 or 64 bits.
  Tensor uniform_full_int(const Shape& shape, DType dtype = DType::kUInt64) const;
  // How many of `counts` trials succeed, each with probability `probs`; `shape` ends with what
  // these two broadcast to.
  Tensor binomial(const Shape& shape, const Operand& counts, const Operand& probs,
                  const DrawOptions& options = {}) const;
  // [2, count] seeds for the stateless functions.
  Tensor make_seeds(int64_t count) const;
  // Generators whose streams have nothing to do with each other's or this one's.
  std::vector<Generator> split(int64_t count) const;
  // Leaves out what `count` numbers would have taken.
  void skip(int64_t count) const;

 private:
  struct State;
  explicit Generator(const Tensor& state);

  std::shared_ptr<State> state_;
};

}  // namespace penstock::random
