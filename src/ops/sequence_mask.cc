// SequenceMask: marks the positions within each sequence's length.
#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

namespace penstock {
namespace {

Tensors compose(const ComposeContext& ctx) {
  // A length or a limit may be larger than the dtype of the others holds.
  const Tensor lengths = cast(ctx.tensor(0), DType::kInt64);
  const std::span<const int64_t> given_length = ctx.attr(0).as_ints();
  const bool has_length = is_given(given_length);
  if (has_length && given_length.size() != 1)
    ctx.fail("maxlen must be one number, but has ", given_length.size());
  const DType dtype = ctx.attr(1).as_dtype();
  const auto number = [](int64_t value) { return Tensor::from<int64_t>({value}, Shape{}); };
  const Tensor zero = number(0);
  const Tensor limit = has_length                    ? number(given_length[0])
                       : lengths.num_elements() == 0 ? zero
                                                     : maximum(reduce_max(lengths), zero);
  const Tensor places = range(zero, maximum(limit, zero), number(1));
  return {cast(less(places, expand_dims(lengths, -1)), dtype)};
}

std::vector<Sample> samples() {
  return {
      {{ints({1, 3, 2})}},
      {{ints({1, 3, 2})}, {{"maxlen", {5}}}},
      {{given(DType::kInt64, {2, 2}, {1, 0, 2, 3})}, {{"dtype", DType::kFloat32}}},
      {{given(DType::kInt32, {}, {2})}, {{"maxlen", {4}}, {"dtype", DType::kInt32}}},
      {{i32({0})}, {{"maxlen", {2}}}},
      {{ints({-1, 2})}, {{"maxlen", {0}}}},
      {{given(DType::kUInt8, {2}, {1, 3})}, {{"maxlen", {300}}}},
      {{i32({1024}, 0, 256)}, {{"maxlen", {256}}}, 0, true, true},
  };
}

LateName late_sequence_mask(const GraphCall& call) {
  return {call.attr("dtype").as_dtype() == DType::kBool ? "Less" : "Cast_1"};
}

}  // namespace

PEN_OP_DEF(sequence_mask) = {
    .name = "SequenceMask",
    .doc = "mask[..., j] = j < lengths[...], for j below `maxlen` or else the largest length.",
    .inputs = {in("lengths", kIntTypes)},
    .attrs = {ints_attr("maxlen", kOptionalInts), dtype_attr("dtype", DType::kBool)},
    .infer = composed,
    .compose = compose,
    .grad = no_gradient,
    .samples = samples,
    .graph_name = {.late = late_sequence_mask},
};

}  // namespace penstock
