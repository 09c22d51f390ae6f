// Random numbers without global state: functions of seed pairs, and generators.
#include <limits>
#include <mutex>
#include <random>

#include <penstock/api/random.h>
#include <penstock/base/strings.h>
#include <penstock/ops/grad_helpers.h>

#include "api/random_scale.h"

namespace penstock::random {
namespace {

constexpr int32_t kPhilox = 1;
constexpr uint64_t kBlocksPerNumber = 256;

struct KeyCounter {
  Tensor key, counter;
};

KeyCounter of_seeds(SeedPair seeds) {
  auto [key, counter] = stateless_random_get_key_counter(Tensor{seeds[0], seeds[1]});
  return {std::move(key), std::move(counter)};
}

void refuse_seed(const std::optional<int64_t>& seed) {
  if (seed) throw InvalidArgumentError("an own seed is for calls that take the global one too");
}

Tensor draw_normal(const KeyCounter& at, const Shape& shape, const NormalOptions& options) {
  return scaled(stateless_random_normal(shape_tensor(shape), at.key, at.counter, Tensor(kPhilox),
                                        options.dtype),
                options);
}
Tensor draw_truncated(const KeyCounter& at, const Shape& shape, const NormalOptions& options) {
  return scaled(penstock::stateless_truncated_normal(shape_tensor(shape), at.key, at.counter,
                                                     Tensor(kPhilox), options.dtype),
                options);
}
Tensor draw_uniform(const KeyCounter& at, const Shape& shape, const UniformOptions& options) {
  return scaled(stateless_random_uniform(shape_tensor(shape), at.key, at.counter, Tensor(kPhilox),
                                         options.dtype),
                options);
}
Tensor draw_int(const KeyCounter& at, const Shape& shape, const IntBounds& bounds) {
  return stateless_random_uniform_int(shape_tensor(shape), at.key, at.counter, Tensor(kPhilox),
                                      bounds.low, bounds.high);
}

}  // namespace

IntBounds int_bounds(DType dtype, int64_t low, int64_t high) {
  if (dtype == DType::kInt64) return {Tensor(low), Tensor(high)};
  if (dtype != DType::kInt32) throw TypeError(cat("no random integers of dtype ", dtype));
  using Limits = std::numeric_limits<int32_t>;
  if (low < Limits::min() || low > Limits::max() || high < Limits::min() || high > Limits::max())
    throw InvalidArgumentError(cat("[", low, ", ", high, ") does not fit into int32"));
  return {Tensor(static_cast<int32_t>(low)), Tensor(static_cast<int32_t>(high))};
}

Tensor stateless_normal(const Shape& shape, SeedPair seeds, const NormalOptions& options) {
  refuse_seed(options.seed);
  return draw_normal(of_seeds(seeds), shape, options);
}
Tensor stateless_truncated_normal(const Shape& shape, SeedPair seeds,
                                  const NormalOptions& options) {
  refuse_seed(options.seed);
  return draw_truncated(of_seeds(seeds), shape, options);
}
Tensor stateless_uniform(const Shape& shape, SeedPair seeds, const UniformOptions& options) {
  refuse_seed(options.seed);
  return draw_uniform(of_seeds(seeds), shape, options);
}
Tensor stateless_uniform_int(const Shape& shape, SeedPair seeds, int64_t low, int64_t high,
                             const DrawOptions& options) {
  refuse_seed(options.seed);
  return draw_int(of_seeds(seeds), shape, int_bounds(options.dtype, low, high));
}
Tensor stateless_shuffle(const Operand& value, SeedPair seeds) {
  const KeyCounter at = of_seeds(seeds);
  return penstock::stateless_shuffle(value, at.key, at.counter, Tensor(kPhilox));
}

struct Generator::State {
  Variable variable;
  std::mutex mutex;

  // The generator's current position; advances it by `blocks`.
  KeyCounter take(uint64_t blocks) {
    const std::lock_guard lock(mutex);
    const Tensor now = variable.value();
    const std::span<const int64_t> numbers = now.data<int64_t>();
    const auto low = static_cast<uint64_t>(numbers[0]), high = static_cast<uint64_t>(numbers[1]);
    KeyCounter at{Tensor{static_cast<uint64_t>(numbers[2])}, Tensor{low, high}};
    const uint64_t moved = low + blocks;
    variable.assign(Tensor{static_cast<int64_t>(moved), static_cast<int64_t>(high + (moved < low)),
                           numbers[2]});
    return at;
  }
  KeyCounter take_for(const Shape& shape) {
    return take(static_cast<uint64_t>(shape.num_elements()) * kBlocksPerNumber);
  }
};

Generator::Generator(const Tensor& state)
    : state_(new State{Variable(state, {.name = "StateVar", .trainable = false}), {}}) {}

Generator Generator::from_seed(uint64_t seed) {
  return Generator(Tensor{static_cast<int64_t>(seed), int64_t{0}, int64_t{0}});
}

Generator Generator::from_state(const Tensor& state) {
  if (state.dtype() != DType::kInt64)
    throw TypeError(cat("a generator's state is int64, not ", state.dtype()));
  if (!(state.shape() == Shape{3}))
    throw InvalidArgumentError(cat("a generator's state has shape [3], not ", state.shape()));
  return Generator(state);
}

Generator Generator::from_key_counter(int64_t key, std::array<int64_t, 2> counter) {
  return Generator(Tensor{counter[0], counter[1], key});
}

Generator Generator::from_non_deterministic_state() {
  std::random_device device;
  const auto number = [&] {
    return static_cast<int64_t>(uint64_t{device()} << 32 | uint64_t{device()});
  };
  return Generator(Tensor{number(), number(), number()});
}

const Variable& Generator::state() const { return state_->variable; }

Tensor Generator::normal(const Shape& shape, const NormalOptions& options) const {
  refuse_seed(options.seed);
  return draw_normal(state_->take_for(shape), shape, options);
}
Tensor Generator::truncated_normal(const Shape& shape, const NormalOptions& options) const {
  refuse_seed(options.seed);
  return draw_truncated(state_->take_for(shape), shape, options);
}
Tensor Generator::uniform(const Shape& shape, const UniformOptions& options) const {
  refuse_seed(options.seed);
  return draw_uniform(state_->take_for(shape), shape, options);
}
Tensor Generator::uniform_int(const Shape& shape, int64_t low, int64_t high,
                              const DrawOptions& options) const {
  refuse_seed(options.seed);
  const IntBounds bounds = int_bounds(options.dtype, low, high);
  return draw_int(state_->take_for(shape), shape, bounds);
}
Tensor Generator::uniform_full_int(const Shape& shape, DType dtype) const {
  const KeyCounter at = state_->take_for(shape);
  return stateless_random_uniform_full_int(shape_tensor(shape), at.key, at.counter, Tensor(kPhilox),
                                           dtype);
}

Tensor Generator::binomial(const Shape& shape, const Operand& counts, const Operand& probs,
                           const DrawOptions& options) const {
  refuse_seed(options.seed);
  Shape batch;
  if (!broadcast_shapes(counts.tensor().shape(), probs.tensor().shape(), &batch)) {
    throw InvalidArgumentError(cat("counts and probs must have compatible batch dimensions: ",
                                   counts.tensor().shape(), " vs. ", probs.tensor().shape()));
  }
  const int64_t parameters = batch.num_elements();
  const int64_t samples = parameters == 0 ? 0 : shape.num_elements() / parameters;
  const KeyCounter at =
      state_->take(static_cast<uint64_t>(parameters * 200 * (samples + 3) / 4) * kBlocksPerNumber);
  return keyed_random_binomial(shape_tensor(shape), at.key, at.counter, Tensor(kPhilox), counts,
                               probs, options.dtype);
}

Tensor Generator::make_seeds(int64_t count) const {
  const Tensor keys = uniform_full_int(Shape{count}, DType::kInt64);
  const Tensor rows[] = {keys, zeros_like(keys)};
  return stack(rows, 0);
}

std::vector<Generator> Generator::split(int64_t count) const {
  const Tensor keys = uniform_full_int(Shape{count}, DType::kInt64);
  std::vector<Generator> generators;
  for (int64_t key : keys.data<int64_t>()) generators.push_back(from_key_counter(key, {0, 0}));
  return generators;
}

void Generator::skip(int64_t count) const {
  state_->take(static_cast<uint64_t>(count) * kBlocksPerNumber);
}

}  // namespace penstock::random
