// EmbeddingLookup: rows of a table, and EmbeddingLookupSparse: rows of a table combined for each
// example. The table's gradient stays sparse.
#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

namespace penstock {
namespace {

// Rows longer than max_norm are scaled down to it; a negative one disables this.
Tensor clipped(const ComposeContext& ctx, const Tensor& rows, int row_rank, double max_norm) {
  if (max_norm < 0) return rows;
  if (!(max_norm >= 0)) ctx.fail("max_norm is not a number");
  IntVector axes;
  for (int i = rows.rank() - row_rank; i < rows.rank(); ++i) axes.push_back(i);
  if (axes.empty()) {
    const Tensor most = scalar_like(rows, max_norm);
    return rows * most / maximum(abs(rows), most);
  }
  const Tensor squares = reduce_sum(square(rows), std::span<const int64_t>(axes), true);
  const Tensor is_some = greater(squares, scalar_like(rows, 0));
  const Tensor length =
      select(is_some, sqrt(select(is_some, squares, scalar_like(rows, 1))), squares);
  return rows * max_norm / maximum(length, scalar_like(rows, max_norm));
}

void check_table(const ComposeContext& ctx) {
  if (ctx.shape(0).rank() < 1)
    ctx.fail("params must be at least 1-dimensional, but its shape is ", ctx.shape(0));
}

Tensors compose(const ComposeContext& ctx) {
  check_table(ctx);
  const Tensor rows = gather(ctx.tensor(0), ctx.tensor(1));
  return {clipped(ctx, rows, ctx.shape(0).rank() - 1, ctx.attr(0).as_float())};
}

// The number of examples: ids are sorted by example, so the last one names the last example.
int64_t num_examples(const ComposeContext& ctx) {
  const IntVector segments = ctx.values(1);
  int64_t before = 0;
  for (size_t i = 0; i < segments.size(); ++i) {
    if (segments[i] < before) ctx.fail("segment ids are not increasing from 0");
    before = segments[i];
  }
  if (before > INT32_MAX) ctx.fail("segment ids must be below 2^31, but the last is ", before);
  return segments.empty() ? 0 : before + 1;
}

// x / y, and 0 where y is 0: an example without ids.
Tensor ratio(const Tensor& x, const Tensor& y) {
  const Tensor is_zero = equal(y, scalar_like(y, 0));
  return select(is_zero, scalar_like(x, 0), x / select(is_zero, scalar_like(y, 1), y));
}

Tensors compose_sparse(const ComposeContext& ctx) {
  check_table(ctx);
  const Tensor &params = ctx.tensor(0), &segments = ctx.tensor(1), &ids = ctx.tensor(2);
  const std::string_view combiner = ctx.attr(0).as_string();
  if (combiner != "sum" && combiner != "mean" && combiner != "sqrtn")
    ctx.fail("combiner must be one of 'mean', 'sqrtn' or 'sum', not '", combiner, "'");
  for (size_t i : {1, 2, 3}) ctx.check_rank(i, 1);
  if (ctx.shape(1) != ctx.shape(2) || ctx.shape(2) != ctx.shape(3)) {
    ctx.fail("segment_ids, ids and weights must have the same shape, but got ", ctx.shape(1), ", ",
             ctx.shape(2), " and ", ctx.shape(3));
  }
  const Tensor examples = Tensor::scalar(segments.dtype(), static_cast<double>(num_examples(ctx)));
  const int row_rank = params.rank() - 1;
  Shape column{ctx.shape(3)[0]};
  for (int i = 0; i < row_rank; ++i) column.append(1);
  const Tensor weights = reshape(ctx.tensor(3), shape_tensor(column));
  const Tensor rows = clipped(ctx, gather(params, ids), row_rank, ctx.attr(1).as_float());
  const Tensor sums = unsorted_segment_sum(rows * weights, segments, examples);
  if (combiner == "sum") return {sums};
  if (combiner == "mean") {
    return {ratio(sums, unsorted_segment_sum(weights, segments, examples))};
  }
  return {ratio(sums, sqrt(unsorted_segment_sum(square(weights), segments, examples)))};
}

std::vector<Sample> samples() {
  using enum DType;
  return {
      {{f32({4, 3}), ints({3, 0, 3})}},
      {{of(kFloat64, {4, 3}), given(kInt64, {2, 2}, {1, 0, 3, 2})}, {{"max_norm", 1.0}}},
      {{f32({4}), ints({3, 0})}, {{"max_norm", 0.5}}},
      {{f32({4, 2, 2}), given(kInt32, {}, {1})}, {{"max_norm", 100.0}}},
      {{f32({4, 3}), i32({0})}},
      {{of(kBFloat16, {4, 3}), ints({3, 0, 3})}},
      {.inputs = {f32({10000, 64}), i32({4096}, 0, 10000)}, .for_speed = true},
  };
}

std::vector<Sample> samples_sparse() {
  using enum DType;
  const auto call = [](DType dtype) {
    return std::vector<SampleInput>{of(dtype, {4, 3}), ints({0, 0, 1}), ints({1, 3, 1}),
                                    of(dtype, {3}, 0.5, 2)};
  };
  return {
      {call(kFloat32), {{"combiner", "sum"}}},
      {call(kFloat64), {{"combiner", "sqrtn"}}},
      {call(kFloat64), {{"combiner", "mean"}}},
      {{f32({4, 2, 2}), given(kInt64, {2}, {0, 1}), given(kInt64, {2}, {3, 3}), f32({2}, 1, 2)},
       {{"max_norm", 0.5}}},
      {{f32({4, 2}), i32({0}), i32({0}), f32({0})}},
      {{of(kFloat16, {4}), ints({0, 1}), ints({1, 3}), of(kFloat16, {2}, 0.5, 2)}},
      {.inputs = {f32({10000, 64}), i32({4096}, 0, 1), i32({4096}, 0, 10000), f32({4096}, 1, 2)},
       .for_speed = true},
  };
}

bool takes_rows(Attrs) { return true; }

}  // namespace

PEN_OP_DEF(embedding_lookup) = {
    .name = "EmbeddingLookup",
    .doc = "The rows of params that ids name, none longer than max_norm unless that is negative.",
    .inputs = {in("params", kRealFloatTypes), in("ids", kIndexTypes, 'I')},
    .attrs = {float_attr("max_norm", -1.0)},
    .infer = composed,
    .compose = compose,
    .grad = composed_gradient,
    .samples = samples,
    .takes_rows = takes_rows,
};

PEN_OP_DEF(embedding_lookup_sparse) = {
    .name = "EmbeddingLookupSparse",
    .doc =
        "Rows of params, times their weights, put together by segment: their sum, mean or sum "
        "over the root of the weights' squares.",
    .inputs = {in("params", kRealFloatTypes), host("segment_ids", kIndexTypes, 'S'),
               in("ids", kIndexTypes, 'I'), in("weights", kRealFloatTypes)},
    .attrs = {string_attr("combiner", "mean"), float_attr("max_norm", -1.0)},
    .infer = composed,
    .compose = compose_sparse,
    .grad = composed_gradient,
    .samples = samples_sparse,
};

}  // namespace penstock
