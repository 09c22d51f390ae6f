// The candidate samplers and ComputeAccidentalHits: random classes for sampled losses.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <penstock/ops/context.h>
#include <penstock/ops/sample.h>

#include "kernels/candidates.h"
#include "ops/random_inputs.h"

namespace penstock {
namespace {

using namespace random_inputs;

constexpr int64_t kMaxUnique = 1 << 20;  // more distinct draws than this take too long

int64_t slots_bytes(int64_t count) {
  return 2 * kernels::PlaceTable::slots(count) * static_cast<int64_t>(sizeof(int64_t));
}

void check_true_classes(const InferContext& ctx, int64_t num_true) {
  ctx.check_rank(0, 2);
  const Shape& shape = ctx.shape(0);
  if (num_true < 1) ctx.fail("num_true must be at least 1, but is ", num_true);
  if (shape.is_known() && shape[1] != num_true)
    ctx.fail("true_classes must have num_true = ", num_true, " columns, but has shape ", shape);
}

// The attributes of every sampler, by number.
enum : size_t { kNumTrue, kNumSampled, kUnique, kRangeMax, kSeed, kUnigrams = kSeed + 3 };

// For samplers that draw: `bytes` of scratch for each class of the range.
void infer_sampler(InferContext& ctx, int64_t bytes) {
  const int64_t num_sampled = ctx.attr(kNumSampled).as_int(), range = ctx.attr(kRangeMax).as_int();
  const bool is_unique = ctx.attr(kUnique).as_bool();
  check_true_classes(ctx, ctx.attr(kNumTrue).as_int());
  if (num_sampled < 1) ctx.fail("num_sampled must be at least 1, but is ", num_sampled);
  if (range < 1) ctx.fail("range_max must be at least 1, but is ", range);
  if (is_unique && num_sampled > range) {
    ctx.fail("num_sampled = ", num_sampled, " distinct classes are more than range_max = ", range);
  }
  if (is_unique && num_sampled > kMaxUnique)
    ctx.fail("num_sampled = ", num_sampled, " distinct classes are more than ", kMaxUnique);
  ctx.add_output(DType::kInt64, Shape{num_sampled});
  ctx.add_output(DType::kFloat32, ctx.shape(0));
  ctx.add_output(DType::kFloat32, Shape{num_sampled});
  const int64_t slots = is_unique ? slots_bytes(num_sampled) : 0;
  if (bytes == 0) {
    ctx.set_scratch(slots);
  } else {
    ctx.set_scratch(range + (slots + bytes - 1) / bytes, bytes);
  }
}

KernelResult check_in_range(const View& classes, int64_t range) {
  for (int64_t i = 0; i < classes.size(); ++i) {
    const int64_t value = classes.as<int64_t>()[i];
    if (value < 0 || value >= range)
      return KernelResult::invalid("true_classes[{}] = {} is not in [0, {})", i, value, range);
  }
  return KernelResult::ok();
}

// The outputs of a sampler; the scratch begins with the table of distinct classes.
KernelResult sample_from(const KernelContext& ctx, const auto& distribution) {
  const int64_t count = ctx.attrs[kNumSampled].as_int();
  const bool is_unique = ctx.attrs[kUnique].as_bool();
  kernels::PlaceTable table(static_cast<int64_t*>(ctx.scratch),
                            is_unique ? kernels::PlaceTable::slots(count) : 0);
  int64_t* sampled = ctx.outputs[0].as<int64_t>();
  const int64_t draws = kernels::draw_candidates(distribution, stateful_stream(ctx.attrs, kSeed),
                                                 count, is_unique ? &table : nullptr, sampled);
  if (draws == 0)
    return KernelResult::invalid("{} distinct classes of weights above 0 were not found", count);
  const auto expect = [&](const int64_t* values, const View& out) {
    for (int64_t i = 0; i < out.size(); ++i) {
      const double chance = distribution.chance(values[i]);
      out.as<float>()[i] = kernels::expected_count(chance, count, draws);
    }
  };
  expect(ctx.inputs[0].as<int64_t>(), ctx.outputs[1]);
  expect(sampled, ctx.outputs[2]);
  return KernelResult::ok();
}

// The start of the distribution's scratch, after the table of distinct classes.
std::byte* distribution_scratch(const KernelContext& ctx) {
  const bool is_unique = ctx.attrs[kUnique].as_bool();
  return static_cast<std::byte*>(ctx.scratch) +
         (is_unique ? slots_bytes(ctx.attrs[kNumSampled].as_int()) : 0);
}

void infer(InferContext& ctx) { infer_sampler(ctx, 0); }

template <typename Distribution>
KernelResult cpu(const KernelContext& ctx) {
  const int64_t range = ctx.attrs[kRangeMax].as_int();
  if (KernelResult in_range = check_in_range(ctx.inputs[0], range); in_range.problem != nullptr)
    return in_range;
  return sample_from(ctx, Distribution{range});
}

constexpr int64_t kBytesPerUnigram = kernels::AliasTable::kScratchPerWeight + sizeof(float);

void infer_fixed(InferContext& ctx) {
  const int64_t range = ctx.attr(kRangeMax).as_int();
  const std::string_view unigrams = ctx.attr(kUnigrams).as_string();
  const int64_t weights = unigrams.empty() ? 0 : std::ranges::count(unigrams, ',') + 1;
  if (range != weights || range > INT32_MAX)
    ctx.fail("range_max is ", range, ", but there are ", weights, " weights");
  infer_sampler(ctx, kBytesPerUnigram);
}

// Pre: `weights` has a place for each number of the text.
KernelResult read_unigrams(std::string_view text, std::span<float> weights) {
  const char *next = text.data(), *const end = next + text.size();
  double sum = 0;
  for (float& weight : weights) {
    const int64_t i = &weight - weights.data();
    const auto [stop, error] = std::from_chars(next, end, weight);
    if (error != std::errc() || (stop != end && *stop != ','))
      return KernelResult::invalid("unigrams[{}] is not a number", i);
    if (!(weight >= 0) || std::isinf(weight))
      return KernelResult::invalid("unigrams[{}] must be finite and not negative", i);
    sum += weight;
    next = stop + 1;
  }
  if (sum == 0) return KernelResult::invalid("all unigrams are 0");
  return KernelResult::ok();
}

KernelResult cpu_fixed(const KernelContext& ctx) {
  const size_t range = static_cast<size_t>(ctx.attrs[kRangeMax].as_int());
  std::byte* const scratch = distribution_scratch(ctx);
  const std::span<float> weights(
      reinterpret_cast<float*>(scratch + range * kernels::AliasTable::kScratchPerWeight), range);
  if (KernelResult in_range = check_in_range(ctx.inputs[0], ctx.attrs[kRangeMax].as_int());
      in_range.problem != nullptr)
    return in_range;
  if (KernelResult read = read_unigrams(ctx.attrs[kUnigrams].as_string(), weights);
      read.problem != nullptr)
    return read;
  return sample_from(ctx, kernels::AliasTable(weights, scratch));
}

void infer_learned(InferContext& ctx) {
  const int64_t range = ctx.attr(kRangeMax).as_int();
  ctx.check_rank(1, 1);
  const Shape& weights = ctx.shape(1);
  if (range > INT32_MAX) ctx.fail("range_max must be less than 2^31, but is ", range);
  if (weights.is_known() && weights[0] != range)
    ctx.fail("range_max is ", range, ", but there are ", weights[0], " weights");
  infer_sampler(ctx, kernels::CumulativeWeights::kScratchPerWeight);
}

KernelResult cpu_learned(const KernelContext& ctx) {
  const View& weights = ctx.inputs[1];
  const std::span<const int32_t> counts(weights.as<int32_t>(), static_cast<size_t>(weights.size()));
  if (KernelResult in_range = check_in_range(ctx.inputs[0], weights.size());
      in_range.problem != nullptr)
    return in_range;
  if (std::ranges::any_of(counts, [](int32_t count) { return count < 0; }))
    return KernelResult::invalid("weights must not be negative");
  const kernels::CumulativeWeights distribution(counts, distribution_scratch(ctx));
  if (distribution.total() < 1 || distribution.total() > INT32_MAX)
    return KernelResult::invalid("weights add up to {}, which is not in [1, 2^31)",
                                 distribution.total());
  return sample_from(ctx, distribution);
}

void infer_all(InferContext& ctx) {
  const int64_t num_sampled = ctx.attr(kNumSampled).as_int();
  check_true_classes(ctx, ctx.attr(kNumTrue).as_int());
  if (num_sampled < 1) ctx.fail("num_sampled must be at least 1, but is ", num_sampled);
  ctx.add_output(DType::kInt64, Shape{num_sampled});
  ctx.add_output(DType::kFloat32, ctx.shape(0));
  ctx.add_output(DType::kFloat32, Shape{num_sampled});
}

KernelResult cpu_all(const KernelContext& ctx) {
  const View &classes = ctx.inputs[0], &sampled = ctx.outputs[0];
  if (KernelResult in_range = check_in_range(classes, sampled.size()); in_range.problem != nullptr)
    return in_range;
  for (int64_t i = 0; i < sampled.size(); ++i) sampled.as<int64_t>()[i] = i;
  for (const View& counts : {ctx.outputs[1], ctx.outputs[2]})
    std::fill_n(counts.as<float>(), counts.size(), 1.0f);
  return KernelResult::ok();
}

void infer_hits(InferContext& ctx) {
  check_true_classes(ctx, ctx.attr(0).as_int());
  ctx.check_rank(1, 1);
  const Shape &classes = ctx.shape(0), &sampled = ctx.shape(1);
  const int64_t most = classes.is_known() ? classes.num_elements() : kUnknownDim;
  if (classes.is_known() && classes[0] > INT32_MAX)
    ctx.fail("true_classes must have fewer than 2^31 rows, but has shape ", classes);
  ctx.add_bounded_output(DType::kInt32, Shape{most});
  ctx.add_bounded_output(DType::kInt64, Shape{most});
  ctx.add_bounded_output(DType::kFloat32, Shape{most});
  if (sampled.is_known()) ctx.set_scratch(slots_bytes(sampled[0]));
}

KernelResult cpu_hits(const KernelContext& ctx) {
  const View &classes = ctx.inputs[0], &sampled = ctx.inputs[1];
  kernels::PlaceTable places(static_cast<int64_t*>(ctx.scratch),
                             kernels::PlaceTable::slots(sampled.shape[0]));
  for (int64_t i = 0; i < sampled.shape[0]; ++i) places.put(sampled.as<int64_t>()[i], i);
  int64_t found = 0;
  for (int64_t i = 0; i < classes.size(); ++i) {
    const int64_t place = places.find(classes.as<int64_t>()[i]);
    if (place < 0) continue;
    ctx.outputs[0].as<int32_t>()[found] = static_cast<int32_t>(i / classes.shape[1]);
    ctx.outputs[1].as<int64_t>()[found] = place;
    ctx.outputs[2].as<float>()[found++] = -std::numeric_limits<float>::max();
  }
  for (View& out : ctx.outputs) out.shape = Shape{found};
  return KernelResult::ok();
}

std::vector<SampleAttr> sampler_attrs(int num_true, int num_sampled, bool unique, int range_max,
                                      std::vector<SampleAttr> more = {}) {
  std::vector<SampleAttr> attrs = {{"num_true", num_true},
                                   {"num_sampled", num_sampled},
                                   {"unique", unique},
                                   {"range_max", range_max},
                                   {"seed", 3},
                                   {"seed2", 4}};
  attrs.insert(attrs.end(), more.begin(), more.end());
  return attrs;
}
std::vector<Sample> samples() {
  const SampleInput classes = given(DType::kInt64, {2, 2}, {0, 5, 7, 2});
  const SampleAttr second_call = {"skip", 3072};
  return {
      {{classes}, sampler_attrs(2, 6, true, 10)},
      {{classes}, sampler_attrs(2, 6, false, 10)},
      {{classes}, sampler_attrs(2, 6, false, 10, {second_call})},
      {{of(DType::kInt64, {0, 1})}, sampler_attrs(1, 3, true, 10)},
      {.inputs = {of(DType::kInt64, {128, 1}, 0, 9)},
       .attrs = {{"num_true", 1}, {"num_sampled", 64}, {"unique", true}, {"range_max", 100000}},
       .for_speed = true},
  };
}
std::vector<Sample> samples_fixed() {
  const SampleInput classes = given(DType::kInt64, {2, 2}, {0, 3, 2, 4});
  const SampleAttr weights = {"unigrams", "1,2,3,4,2.5"}, zeros = {"unigrams", "0,0,2,3,5e-1"};
  return {
      {{classes}, sampler_attrs(2, 3, true, 5, {weights})},
      {{classes}, sampler_attrs(2, 6, false, 5, {weights})},
      {{classes}, sampler_attrs(2, 6, false, 5, {weights, {"skip", 3072}})},
      {{classes}, sampler_attrs(2, 6, false, 5, {zeros})},
  };
}
std::vector<Sample> samples_learned() {
  const SampleInput classes = given(DType::kInt64, {2, 2}, {0, 3, 2, 4});
  const SampleInput weights = given(DType::kInt32, {5}, {1, 4, 2, 1, 3});
  return {
      {{classes, weights}, sampler_attrs(2, 3, true, 5)},
      {{classes, weights}, sampler_attrs(2, 6, false, 5)},
  };
}
std::vector<Sample> samples_all() {
  return {{{given(DType::kInt64, {2, 2}, {0, 3, 2, 1})},
           {{"num_true", 2}, {"num_sampled", 4}, {"unique", true}}},
          {{of(DType::kInt64, {0, 1})}, {{"num_true", 1}, {"num_sampled", 2}, {"unique", false}}}};
}
std::vector<Sample> samples_hits() {
  using enum DType;
  return {
      {{given(kInt64, {2, 2}, {0, 5, 7, 2}), given(kInt64, {4}, {5, 7, 1, 0})}, {{"num_true", 2}}},
      {{given(kInt64, {2, 1}, {3, 4}), given(kInt64, {4}, {3, 7, 3, 0})}, {{"num_true", 1}}},
      {{of(kInt64, {0, 1}), given(kInt64, {1}, {5})}, {{"num_true", 1}}},
      {{given(kInt64, {1, 1}, {5}), of(kInt64, {0})}, {{"num_true", 1}}},
  };
}

}  // namespace

PEN_OP_DEF(log_uniform_candidate_sampler) = {
    .name = "LogUniformCandidateSampler",
    .doc =
        "Classes drawn with chances that fall off with their number, and how often they and the "
        "true ones are expected.",
    .inputs = {in("true_classes", DType::kInt64)},
    .attrs = {int_attr("num_true"), int_attr("num_sampled"), bool_attr("unique"),
              int_attr("range_max"), int_attr("seed", 0), int_attr("seed2", 0),
              int_attr("skip", -1)},
    .outputs = {"sampled_candidates", "true_expected_count", "sampled_expected_count"},
    .traits = {Trait::kStateful},
    .infer = infer,
    .cpu = cpu<kernels::LogUniformRange>,
    .grad = no_gradient,
    .samples = samples,
};

PEN_OP_DEF(uniform_candidate_sampler) = {
    .name = "UniformCandidateSampler",
    .doc = "Classes drawn with equal chances, and how often they and the true ones are expected.",
    .inputs = {in("true_classes", DType::kInt64)},
    .attrs = {int_attr("num_true"), int_attr("num_sampled"), bool_attr("unique"),
              int_attr("range_max"), int_attr("seed", 0), int_attr("seed2", 0),
              int_attr("skip", -1)},
    .outputs = {"sampled_candidates", "true_expected_count", "sampled_expected_count"},
    .traits = {Trait::kStateful},
    .infer = infer,
    .cpu = cpu<kernels::UniformRange>,
    .grad = no_gradient,
    .samples = samples,
};

PEN_OP_DEF(fixed_unigram_candidate_sampler) = {
    .name = "FixedUnigramCandidateSampler",
    .doc =
        "Classes drawn with chances that go with given weights, and how often they and the true "
        "ones are expected. `unigrams` are numbers with commas between them.",
    .inputs = {in("true_classes", DType::kInt64)},
    .attrs = {int_attr("num_true"), int_attr("num_sampled"), bool_attr("unique"),
              int_attr("range_max"), int_attr("seed", 0), int_attr("seed2", 0),
              int_attr("skip", -1), string_attr("unigrams")},
    .outputs = {"sampled_candidates", "true_expected_count", "sampled_expected_count"},
    .traits = {Trait::kStateful},
    .infer = infer_fixed,
    .cpu = cpu_fixed,
    .grad = no_gradient,
    .samples = samples_fixed,
};

PEN_OP_DEF(learned_unigram_candidate_sampler) = {
    .name = "LearnedUnigramCandidateSampler",
    .doc =
        "Classes drawn with chances that go with how often each was seen, and how often they and "
        "the true ones are expected. The caller counts: `weights` are 1 and more.",
    .inputs = {in("true_classes", DType::kInt64), in("weights", DType::kInt32, 'W')},
    .attrs = {int_attr("num_true"), int_attr("num_sampled"), bool_attr("unique"),
              int_attr("range_max"), int_attr("seed", 0), int_attr("seed2", 0),
              int_attr("skip", -1)},
    .outputs = {"sampled_candidates", "true_expected_count", "sampled_expected_count"},
    .traits = {Trait::kStateful},
    .infer = infer_learned,
    .cpu = cpu_learned,
    .grad = no_gradient,
    .samples = samples_learned,
};

PEN_OP_DEF(all_candidate_sampler) = {
    .name = "AllCandidateSampler",
    .doc = "All classes, each of which is expected once: for tests of losses that sample.",
    .inputs = {in("true_classes", DType::kInt64)},
    .attrs = {int_attr("num_true"), int_attr("num_sampled"), bool_attr("unique"),
              int_attr("seed", 0), int_attr("seed2", 0)},
    .outputs = {"sampled_candidates", "true_expected_count", "sampled_expected_count"},
    .infer = infer_all,
    .cpu = cpu_all,
    .grad = no_gradient,
    .samples = samples_all,
};

PEN_OP_DEF(compute_accidental_hits) = {
    .name = "ComputeAccidentalHits",
    .doc =
        "Where sampled candidates are true classes: the row, the sample and the weight that "
        "takes it out.",
    .inputs = {in("true_classes", DType::kInt64), in("sampled_candidates", DType::kInt64)},
    .attrs = {int_attr("num_true"), int_attr("seed", 0), int_attr("seed2", 0)},
    .outputs = {"indices", "ids", "weights"},
    .traits = {Trait::kDynamicShape},
    .infer = infer_hits,
    .cpu = cpu_hits,
    .grad = no_gradient,
    .samples = samples_hits,
};

}  // namespace penstock
