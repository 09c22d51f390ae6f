// CTCGreedyDecoder: the label that the likeliest class of every step spells.
#include <algorithm>

#include <penstock/base/checked.h>
#include <penstock/ops/context.h>
#include <penstock/ops/sample.h>

namespace penstock {
namespace {

void infer(InferContext& ctx) {
  ctx.check_rank(0, 3);
  ctx.check_rank(1, 1);
  const Shape &logits = ctx.shape(0), &lengths = ctx.shape(1);
  int64_t most = kUnknownDim;
  if (logits.is_known()) {
    if (lengths.is_known() && lengths[0] != logits[1]) {
      ctx.fail("len(sequence_length) != batch_size: ", lengths, " for inputs of shape ", logits);
    }
    const int64_t blank = ctx.attr(1).as_int();
    if (blank < -logits[2] || blank >= logits[2])
      ctx.fail("blank_index ", blank, " is not one of the classes of inputs ", logits);
    if (!checked_mul(logits[0], logits[1], &most)) ctx.fail_size("the number of steps");
  }
  ctx.add_bounded_output(DType::kInt64, Shape{most, 2});
  ctx.add_bounded_output(DType::kInt64, Shape{most});
  ctx.add_output(DType::kInt64, Shape{2});
  ctx.add_output(ctx.dtype(0), Shape{logits.has_rank() ? logits[1] : kUnknownDim, 1});
}

template <typename T>
void decode(const KernelContext& ctx) {
  const View& logits = ctx.inputs[0];
  const int64_t batch = logits.shape[1], classes = logits.shape[2];
  const bool merges = ctx.attrs[0].as_bool();
  const int64_t given = ctx.attrs[1].as_int(), blank = given < 0 ? given + classes : given;
  int64_t* indices = ctx.outputs[0].as<int64_t>();
  int64_t* values = ctx.outputs[1].as<int64_t>();
  int64_t found = 0, longest = 0;
  for (int64_t b = 0; b < batch; ++b) {
    const int64_t first = found;
    int64_t before = -1;
    double sum = 0;
    for (int64_t t = 0; t < ctx.inputs[1].as<int32_t>()[b]; ++t) {
      const T* row = logits.as<T>() + (t * batch + b) * classes;
      const int64_t best = std::max_element(row, row + classes) - row;
      sum -= static_cast<double>(row[best]);
      if (best != blank && !(merges && best == before)) {
        indices[2 * found] = b;
        indices[2 * found + 1] = found - first;
        values[found++] = best;
      }
      before = best;
    }
    ctx.outputs[3].as<T>()[b] = static_cast<T>(sum);
    longest = std::max(longest, found - first);
  }
  ctx.outputs[0].shape = Shape{found, 2};
  ctx.outputs[1].shape = Shape{found};
  ctx.outputs[2].as<int64_t>()[0] = batch;
  ctx.outputs[2].as<int64_t>()[1] = longest;
}

KernelResult cpu(const KernelContext& ctx) {
  const View &logits = ctx.inputs[0], &lengths = ctx.inputs[1];
  for (int64_t b = 0; b < lengths.size(); ++b) {
    const int64_t steps = lengths.as<int32_t>()[b];
    if (steps < 0 || steps > logits.shape[0])
      return KernelResult::invalid("sequence_length({}) = {} is not in [0, {}]", b, steps,
                                   logits.shape[0]);
  }
  logits.dtype == DType::kFloat32 ? decode<float>(ctx) : decode<double>(ctx);
  return KernelResult::ok();
}

std::vector<Sample> samples() {
  using enum DType;
  return {
      {{f32({5, 2, 4}), ints({5, 4})}},
      {{of(kFloat64, {6, 2, 3}), ints({6, 2})}, {{"merge_repeated", true}}},
      {{f32({5, 2, 4}), ints({5, 0})}, {{"blank_index", 0}}},
      {{f32({5, 0, 4}), i32({0})}},
      {.inputs = {f32({100, 16, 64}), i32({16}, 100, 101)}, .for_speed = true},
  };
}

}  // namespace

PEN_OP_DEF(ctc_greedy_decoder) = {
    .name = "CTCGreedyDecoder",
    .doc =
        "The labels that the likeliest class of every step spells: places, values and shape, "
        "and the sum of those logits, negated.",
    .inputs = {in("inputs", DTypeSet(DType::kFloat32) | DType::kFloat64),
               in("sequence_length", DType::kInt32, 'S')},
    .attrs = {bool_attr("merge_repeated", false), int_attr("blank_index", -1)},
    .outputs = {"decoded_indices", "decoded_values", "decoded_shape", "log_probability"},
    .traits = {Trait::kDynamicShape},
    .infer = infer,
    .cpu = cpu,
    .grad = no_gradient,
    .samples = samples,
};

}  // namespace penstock
