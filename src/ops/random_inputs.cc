#include "ops/random_inputs.h"

#include <algorithm>

#include <penstock/ops/context.h>

#include "kernels/random_fill.h"

namespace penstock {
extern const OpDef multinomial_op, random_shuffle_op, log_uniform_candidate_sampler_op,
    uniform_candidate_sampler_op, fixed_unigram_candidate_sampler_op,
    learned_unigram_candidate_sampler_op;
}

namespace penstock::random_inputs {

constexpr int64_t kPhilox = 1;
constexpr int64_t kAutoSelect = 3;  // the device's choice

kernels::PhiloxStream stateful_stream(Attrs attrs, size_t first) {
  return kernels::PhiloxStream::seeded(static_cast<uint64_t>(attrs[first].as_int()),
                                       static_cast<uint64_t>(attrs[first + 1].as_int()))
      .without(static_cast<uint64_t>(std::max<int64_t>(attrs[first + 2].as_int(), 0)));
}

size_t skip_attr(const OpDef& op) {
  size_t i = 0;
  while (i < op.attrs.size() && op.attrs[i].name != "skip") ++i;
  return i;
}

int64_t place_after(int64_t skip, int64_t taken) {
  return static_cast<int64_t>(static_cast<uint64_t>(std::max<int64_t>(skip, 0)) +
                              static_cast<uint64_t>(taken));
}

int64_t blocks_taken(const OpDef& op, const Shape& output) {
  const auto times = [](int64_t a, int64_t b) {  // a graph may have any size
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  };
  const int64_t count = output.num_elements();
  if (&op == &random_shuffle_op) {
    // A word for each row but the last, four to a block.
    return output.rank() == 0 || count <= 1 || output[0] <= 1 ? 0 : (output[0] - 1 + 3) / 4;
  }
  if (&op == &multinomial_op) {
    const int64_t per_row = (output[1] + 3) / 4 * 4;  // numbers of two words
    return times(times(output[0], per_row), 2 * kernels::kBlocksPerNumber);
  }
  if (&op == &log_uniform_candidate_sampler_op || &op == &uniform_candidate_sampler_op ||
      &op == &fixed_unigram_candidate_sampler_op || &op == &learned_unigram_candidate_sampler_op)
    return times(count, 2 * kernels::kBlocksPerNumber);
  return times(count, kernels::kBlocksPerNumber);
}

void check_key(InferContext& ctx, size_t first) {
  const Shape& key = ctx.shape(first);
  if (key.has_rank() && (key.rank() != 1 || (key[0] != 1 && key[0] != kUnknownDim)))
    ctx.fail("key must have shape [1], not ", key);
  const Shape& counter = ctx.shape(first + 1);
  if (counter.has_rank() && (counter.rank() != 1 || (counter[0] < 2 && counter[0] != kUnknownDim)))
    ctx.fail("counter must be a list of at least 2 numbers, but its shape is ", counter);
  ctx.check_rank(first + 2, 0);
  bool known = false;
  const IntVector algorithm = ctx.ints(first + 2, &known);
  if (known && algorithm[0] != kPhilox && algorithm[0] != kAutoSelect)
    ctx.fail("Unsupported algorithm id: ", algorithm[0]);
}

kernels::PhiloxStream keyed_stream(const KernelContext& ctx, size_t first) {
  const uint64_t* counter = ctx.inputs[first + 1].as<uint64_t>();
  return {*ctx.inputs[first].as<uint64_t>(), counter[0], counter[1]};
}

void check_seeds(InferContext& ctx, size_t input) {
  const Shape& shape = ctx.shape(input);
  if (shape.has_rank() && (shape.rank() != 1 || (shape[0] != 2 && shape[0] != kUnknownDim)))
    ctx.fail("seed must have shape [2], not ", shape);
}

kernels::PhiloxStream mixed_stream(const KernelContext& ctx, size_t input) {
  const View& seeds = ctx.inputs[input];
  return kernels::PhiloxStream::mixed(static_cast<uint64_t>(number(seeds, 0)),
                                      static_cast<uint64_t>(number(seeds, 1)));
}

void check_bounds(InferContext& ctx, size_t low) {
  ctx.check_rank(low, 0);
  ctx.check_rank(low + 1, 0);
}

KernelResult draw_integers(const kernels::PhiloxStream& stream, const View& minval,
                           const View& maxval, const View& out) {
  if (out.size() == 0) return KernelResult::ok();
  const int64_t low = number(minval), high = number(maxval);
  if (low >= high) return KernelResult::invalid("Need minval < maxval, got {} >= {}", low, high);
  kernels::random_integers(out.dtype, stream, low, high, out.data, out.size());
  return KernelResult::ok();
}

int64_t number(const View& view, int64_t i) {
  return view.dtype == DType::kInt32 ? view.as<int32_t>()[i] : view.as<int64_t>()[i];
}

void check_ends_with(InferContext& ctx, const Shape& shape, const Shape& parameters) {
  if (!shape.is_known() || !parameters.is_known()) return;
  bool fits = shape.rank() >= parameters.rank();
  for (int i = 1; fits && i <= parameters.rank(); ++i)
    fits = shape[shape.rank() - i] == parameters[parameters.rank() - i];
  if (!fits) {
    ctx.fail("Shape passed in must end with broadcasted shape: ", shape, " does not end with ",
             parameters);
  }
}

int64_t samples_per_parameter(const View& out, int64_t parameters) {
  return parameters == 0 ? 0 : out.size() / parameters;
}

}  // namespace penstock::random_inputs
