// LogUniformCandidateSampler, UniformCandidateSampler and ComputeAccidentalHits: classes drawn at
// random for losses over very many of them.
#include <algorithm>
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

void infer(InferContext& ctx) {
  const int64_t num_sampled = ctx.attr(1).as_int(), range = ctx.attr(3).as_int();
  const bool is_unique = ctx.attr(2).as_bool();
  check_true_classes(ctx, ctx.attr(0).as_int());
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
  if (is_unique) ctx.set_scratch(slots_bytes(num_sampled));
}

template <bool kLogUniform>
KernelResult cpu(const KernelContext& ctx) {
  const View& classes = ctx.inputs[0];
  const int64_t count = ctx.attrs[1].as_int();
  const kernels::CandidateRange range{kLogUniform, ctx.attrs[3].as_int()};
  for (int64_t i = 0; i < classes.size(); ++i) {
    const int64_t value = classes.as<int64_t>()[i];
    if (value < 0 || value >= range.range)
      return KernelResult::invalid("true_classes[{}] = {} is not in [0, {})", i, value,
                                   range.range);
  }
  const kernels::PhiloxStream stream = stateful_stream(ctx.attrs, 4);
  const bool is_unique = ctx.attrs[2].as_bool();
  kernels::PlaceTable table(static_cast<int64_t*>(ctx.scratch),
                            is_unique ? kernels::PlaceTable::slots(count) : 0);
  int64_t* sampled = ctx.outputs[0].as<int64_t>();
  const int64_t draws =
      kernels::draw_candidates(range, stream, count, is_unique ? &table : nullptr, sampled);
  const auto expect = [&](const int64_t* values, const View& out) {
    for (int64_t i = 0; i < out.size(); ++i)
      out.as<float>()[i] = kernels::expected_count(range, values[i], count, draws);
  };
  expect(classes.as<int64_t>(), ctx.outputs[1]);
  expect(sampled, ctx.outputs[2]);
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

std::vector<Sample> samples() {
  const SampleInput classes = given(DType::kInt64, {2, 2}, {0, 5, 7, 2});
  const auto attrs = [](int num_true, int num_sampled, bool unique) {
    return std::vector<SampleAttr>{{"num_true", num_true},
                                   {"num_sampled", num_sampled},
                                   {"unique", unique},
                                   {"range_max", 10},
                                   {"seed", 3},
                                   {"seed2", 4}};
  };
  std::vector<SampleAttr> later = attrs(2, 6, false);  // the second call of it
  later.push_back({"skip", 3072});
  return {
      {{classes}, attrs(2, 6, true)},
      {{classes}, attrs(2, 6, false)},
      {{classes}, later},
      {{of(DType::kInt64, {0, 1})}, attrs(1, 3, true)},
      {.inputs = {of(DType::kInt64, {128, 1}, 0, 9)},
       .attrs = {{"num_true", 1}, {"num_sampled", 64}, {"unique", true}, {"range_max", 100000}},
       .for_speed = true},
  };
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
    .cpu = cpu<true>,
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
    .cpu = cpu<false>,
    .grad = no_gradient,
    .samples = samples,
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
