// LinSpace: numbers at equal distances between two ends.
#include <algorithm>

#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

namespace penstock {
namespace {

Tensor whole_numbers(DType dtype, int64_t begin, int64_t end) {
  const auto number = [](int64_t value) {
    return Tensor::scalar(DType::kInt64, static_cast<double>(value));
  };
  return cast(range(number(begin), number(end), number(1)), dtype);
}

// Both ends are exact; in between start + i * delta.
Tensors compose(const ComposeContext& ctx) {
  ctx.check_rank(2, 0);
  const int64_t num = ctx.values(2)[0];
  if (num <= 0) ctx.fail("Requires num > 0: ", num);
  Shape ends;
  if (!broadcast_shapes(ctx.shape(0), ctx.shape(1), &ends)) {
    ctx.fail("Incompatible shapes: ", ctx.shape(0), " vs. ", ctx.shape(1));
  }
  const int rank = ends.rank() + 1;
  const int axis = ctx.axis(ctx.attr(0).as_int(), rank);
  const Tensor start = expand_dims(broadcast_to(ctx.tensor(0), shape_tensor(ends)), axis);
  if (num == 1) return {start};
  const Tensor stop = expand_dims(broadcast_to(ctx.tensor(1), shape_tensor(ends)), axis);
  if (num == 2) {
    const Tensor both[] = {start, stop};
    return {concat(both, axis)};
  }
  const Tensor delta = (stop - start) / static_cast<double>(num - 1);
  Shape steps;
  for (int i = 0; i < rank; ++i) steps.append(i == axis ? num - 2 : 1);
  const Tensor counts = reshape(whole_numbers(ctx.dtype(0), 1, num - 1), shape_tensor(steps));
  const Tensor parts[] = {start, start + delta * counts, stop};
  return {concat(parts, axis)};
}

std::vector<Sample> samples() {
  const auto num = [](double n) { return given(DType::kInt32, {}, {n}); };
  return {
      {{f32({}), f32({}), num(5)}},
      {{f32({}), f32({}), num(1)}},
      {{f32({}), f32({}), given(DType::kInt64, {}, {2})}},
      {{f32({2, 1}), f32({3}), num(4)}},
      {{f32({2}), f32({2}), num(4)}, {{"axis", -1}}},
      {{f32({2, 3}), f32({}), num(3)}, {{"axis", 1}}},
      {{f32({0}), f32({}), num(3)}},
      {{of(DType::kFloat64, {}), of(DType::kFloat64, {}), num(6)}},
      {{of(DType::kFloat16, {}), of(DType::kFloat16, {}), num(3)}},
      {{of(DType::kBFloat16, {}), of(DType::kBFloat16, {}), num(3)}},
      {{f32({}), f32({}), num(1 << 20)}, {}, 0, true, true},
  };
}

}  // namespace

PEN_OP_DEF(linspace) = {
    .name = "LinSpace",
    .doc = "`num` numbers at equal distances from `start` to `stop`, both included, along `axis`.",
    .inputs = {in("start", kRealFloatTypes), in("stop", kRealFloatTypes), host("num", kIndexTypes)},
    .attrs = {int_attr("axis", 0)},
    .infer = composed,
    .compose = compose,
    .grad = composed_gradient,
    .samples = samples,
    .graph_name = {"linspace", "Slice"},
};

}  // namespace penstock
