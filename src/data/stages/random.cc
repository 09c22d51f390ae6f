// Random: random 32-bit words, as int64. Weighted: numbers of datasets, drawn by their weights.
// WeightedBy: the same with weights that change from draw to draw.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>

#include "data/seeds.h"
#include "data/stage_iterator.h"

namespace penstock::data {
namespace {

enum { kRerandomize };
constexpr Setting kSettings[] = {{"rerandomize", 0}};

int64_t endless(const DatasetState&) { return kInfinite; }

void infer_number(DatasetState& state, size_t seed) {
  check_scalar(state, seed, "seed");
  check_scalar(state, seed + 1, "seed2");
  state.spec = {{DType::kInt64, Shape{}}};
}

// The operand with the first seed.
constexpr size_t kSeed = 0, kSeedOfWeighted = 1;
template <size_t kFirst>
std::shared_ptr<Shared> share(const DatasetState& state) {
  return share_seeds(state, kFirst, state.settings[kRerandomize] != 0);
}

class RandomIterator final : public NamedIterator {
 public:
  RandomIterator(StateRef state, const Scope& scope)
      : NamedIterator(std::move(state), scope), words_(seeds_of(*state_)) {}
  bool next(Element& element) override {
    Tensor number(int64_t{words_->peek()});
    element.clear();
    element.push_back(std::move(number));
    words_->next();
    return true;
  }

 private:
  void save_own(StateWriter& out) override { words_.save(out); }
  void restore_own(StateReader& in) override { words_.restore(in); }

  IteratorWords words_;
};

// Sums of probabilities, not normalised: of the logits up to each one.
std::vector<double> sums_of(std::span<const double> logits) {
  double most = -std::numeric_limits<double>::infinity();
  for (const double logit : logits) {
    if (std::isfinite(logit)) most = std::max(most, logit);
  }
  std::vector<double> sums;
  double sum = 0;
  for (const double logit : logits) {
    if (std::isfinite(logit)) sum += std::exp(logit - most);
    sums.push_back(sum);
  }
  return sums;
}

// One draw of TensorFlow's stateless multinomial, seeded by the next two words.
int64_t draw(const std::vector<double>& sums, RandomWords& words) {
  const uint32_t first = words.next();
  const auto stream = kernels::PhiloxStream::mixed(first, words.next());
  const kernels::PhiloxBlock block = stream.block(0);
  const double wanted = kernels::unit_double(block[0], block[1]) * sums.back();
  return std::ranges::upper_bound(sums, wanted) - sums.begin();
}

void check_weights(const DatasetState& state, DType dtype, const Shape& shape) {
  if (dtype != DType::kFloat32 && dtype != DType::kFloat64)
    throw TypeError(
        cat("[", state.stage->name, "Dataset] weights must be float32 or float64, not ", dtype));
  if (shape.has_rank() && (shape.rank() != 1 || shape[0] == 0))
    throw InvalidArgumentError(
        cat("[", state.stage->name, "Dataset] weights must be a vector, not of shape ", shape));
}

std::vector<double> numbers_of(const Tensor& tensor) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < tensor.num_elements(); ++i) numbers.push_back(tensor.number_at(i));
  return numbers;
}

void infer_weighted(DatasetState& state) {
  check_weights(state, state.operands[0].dtype(), state.operands[0].shape());
  infer_number(state, kSeedOfWeighted);
}

class WeightedIterator final : public NamedIterator {
 public:
  WeightedIterator(StateRef state, const Scope& scope)
      : NamedIterator(std::move(state), scope),
        sums_(sums_of(numbers_of(state_->operands[0]))),
        words_(seeds_of(*state_)) {}
  bool next(Element& element) override {
    Tensor number(draw(sums_, *words_));
    element.clear();
    element.push_back(std::move(number));
    return true;
  }

 private:
  void save_own(StateWriter& out) override { words_.save(out); }
  void restore_own(StateReader& in) override { words_.restore(in); }

  const std::vector<double> sums_;
  IteratorWords words_;
};

void infer_weighted_by(DatasetState& state) {
  const Spec& rows = state.input().spec();
  if (rows.size() != 1 || rows[0].is_dataset())
    throw InvalidArgumentError(
        cat("[WeightedByDataset] the weights are one vector for each draw, not ", rows));
  check_weights(state, rows[0].dtype, rows[0].shape);
  infer_number(state, kSeed);
}

class WeightedByIterator final : public InputIterator {
 public:
  WeightedByIterator(StateRef state, const Scope& scope)
      : InputIterator(std::move(state), scope), words_(seeds_of(*state_)) {}
  bool next(Element& element) override {
    if (!input_->next(element)) return false;
    const Tensor& weights = element[0].tensor;
    check_weights(*state_, weights.dtype(), weights.shape());
    std::vector<double> logits = numbers_of(weights);
    for (double& each : logits) {  // in the precision of the weights, as TensorFlow's
      each = weights.dtype() == DType::kFloat32
                 ? static_cast<double>(std::log(static_cast<float>(each)))
                 : std::log(each);
    }
    Tensor number(draw(sums_of(logits), *words_));
    element.clear();
    element.push_back(std::move(number));
    return true;
  }

 private:
  void save_own(StateWriter& out) override {
    InputIterator::save_own(out);
    words_.save(out);
  }
  void restore_own(StateReader& in) override {
    InputIterator::restore_own(in);
    words_.restore(in);
  }

  IteratorWords words_;
};

}  // namespace

extern const StageDef kRandom, kWeighted, kWeightedBy;
const StageDef kRandom = {.name = "Random",
                          .num_inputs = 0,
                          .num_operands = 2,
                          .settings = kSettings,
                          .infer = [](DatasetState& state) { infer_number(state, kSeed); },
                          .cardinality = endless,
                          .share = share<kSeed>,
                          .iterate = make_iterator<RandomIterator>};
const StageDef kWeighted = {.name = "Weighted",
                            .num_inputs = 0,
                            .num_operands = 3,
                            .settings = kSettings,
                            .infer = infer_weighted,
                            .cardinality = endless,
                            .share = share<kSeedOfWeighted>,
                            .iterate = make_iterator<WeightedIterator>};
const StageDef kWeightedBy = {.name = "WeightedBy",
                              .num_operands = 2,
                              .settings = kSettings,
                              .infer = infer_weighted_by,
                              .share = share<kSeed>,
                              .iterate = make_iterator<WeightedByIterator>};

}  // namespace penstock::data
