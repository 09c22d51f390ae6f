// Shape and index ops: what samples cannot show: error texts, shared data, in-place runs, and
// sizes that take the tiled and parallel paths.
#include <array>
#include <cmath>
#include <limits>

#include <penstock/autodiff/tape.h>
#include <penstock/ops/grad_helpers.h>

#include "support/testing.h"

namespace penstock {
namespace {

Tensor list(std::initializer_list<int64_t> values) { return Tensor(values); }
Tensor matrix() { return Tensor::from<float>({1, 2, 3, 4, 5, 6}, Shape{2, 3}); }
Tensor counting(const Shape& shape) {
  const Tensor last = Tensor(static_cast<float>(shape.num_elements()));
  return reshape(range(Tensor(0.0f), last, Tensor(1.0f)), shape_tensor(shape));
}

TEST(ShapeOps, ErrorsSayWhatTensorFlowSays) {
  const Tensor x = matrix();
  EXPECT_ERROR(InvalidArgumentError, "slice index 5 of dimension 0 out of bounds.",
               strided_slice(x, list({5}), list({6}), list({1}), 0, 0, 0, 0, 1));
  EXPECT_ERROR(InvalidArgumentError, "strides[0] must be non-zero",
               strided_slice(x, list({0}), list({1}), list({0})));
  EXPECT_ERROR(InvalidArgumentError, "indices[1] = 7 is not in [0, 2)",
               gather(x, list({0, 7}), 0, 0));
  EXPECT_ERROR(InvalidArgumentError, "indices[0] = -1 is not in [0, 2)",
               gather(x, list({-1}), 0, 0));
  EXPECT_ERROR(InvalidArgumentError, "Requires delta != 0", range(Tensor(0), Tensor(3), Tensor(0)));
  EXPECT_ERROR(InvalidArgumentError, "Requires start <= limit when delta > 0: 5/3",
               range(Tensor(5), Tensor(3), Tensor(1)));
  EXPECT_ERROR(InvalidArgumentError, "Dimension 1 in both shapes must be equal",
               concat(std::array{x, reshape(x, list({3, 2}))}, 0));
  EXPECT_ERROR(InvalidArgumentError, "Can not squeeze dim[1], expected a dimension of 1, got 3",
               squeeze(x, {1}));
  EXPECT_ERROR(InvalidArgumentError, "input must have at least k columns. Had 3, needed 4",
               top_k(x, Tensor(4)));
  EXPECT_ERROR(TypeError, "out_type must be int32 or int64", shape(x, DType::kFloat32));
}

TEST(ShapeOps, ExtremeNumbersAreErrorsOrClamped) {
  constexpr int64_t kLow = std::numeric_limits<int64_t>::min();
  constexpr int64_t kHigh = std::numeric_limits<int64_t>::max();
  const Tensor x = Tensor{1, 2, 3};
  EXPECT_EQ(strided_slice(x, list({kLow}), list({kHigh}), list({kHigh})).to_vector<int>(),
            std::vector<int>{1});
  EXPECT_EQ(strided_slice(x, list({kHigh}), list({kLow}), list({kLow})).to_vector<int>(),
            std::vector<int>{3});
  EXPECT_THROW(tile(x, list({kHigh})), Error);
  EXPECT_THROW(range(Tensor(kLow), Tensor(kHigh), Tensor(int64_t{1})), Error);
  EXPECT_EQ(range(Tensor(kLow), Tensor(kHigh), Tensor(kHigh)).num_elements(), 3);
  EXPECT_THROW(pad(x, Tensor::from<int64_t>({kHigh, kHigh}, Shape{1, 2}), Tensor(0)), Error);
}

TEST(ShapeOps, PartsOfTheLeadingAxisShareTheData) {
  const Tensor x = matrix();
  const auto at = [&](int64_t i) { return static_cast<char*>(x.raw()) + i * 4; };
  EXPECT_EQ(identity(x).raw(), at(0));
  EXPECT_EQ(slice(x, list({1, 0}), list({1, 3})).raw(), at(3));
  EXPECT_EQ(slice(x, list({1, 1}), list({1, 2})).raw(), at(4));
  EXPECT_EQ(strided_slice(x, list({1}), list({2}), list({1}), 0, 0, 0, 0, 1).raw(), at(3));
  EXPECT_EQ(split(x, 2, 0)[1].raw(), at(3));
  EXPECT_EQ(unstack(x, 2, 0)[1].raw(), at(3));
  EXPECT_EQ(transpose(reshape(x, list({2, 1, 3})), {1, 0, 2}).raw(), at(0));
  EXPECT_NE(slice(x, list({0, 1}), list({2, 1})).raw(), at(1));
}

TEST(ShapeOps, AScatterRunsInPlaceAndChecksFirst) {
  Tensor x = Tensor{1.0f, 2.0f, 3.0f};
  const void* data = x.raw();
  const Tensor bad = Tensor::from<int32_t>({0, 3}, Shape{2, 1});
  EXPECT_THROW(tensor_scatter_add(std::move(x), bad, Tensor{1.0f, 1.0f}), InvalidArgumentError);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1, 2, 3}));
  const Tensor good = Tensor::from<int32_t>({0, 2}, Shape{2, 1});
  const Tensor sum = tensor_scatter_add(std::move(x), good, Tensor{10.0f, 10.0f});
  EXPECT_EQ(sum.raw(), data);
  EXPECT_EQ(sum.to_vector<float>(), (std::vector<float>{11, 2, 13}));
}

TEST(ShapeOps, AScatterOfATensorIntoItselfReadsWhatWasThere) {
  Tensor x = Tensor{1.0f, 2.0f, 3.0f};
  const Tensor turn = Tensor::from<int32_t>({1, 2, 0}, Shape{3, 1});
  const Tensor turned = tensor_scatter_update(std::move(x), turn, x);
  EXPECT_EQ(turned.to_vector<float>(), (std::vector<float>{3, 1, 2}));
}

TEST(ShapeOps, LargeTransposesArePermutations) {
  for (const Shape& shape : {Shape{300, 7, 333}, Shape{129, 1027, 1}, Shape{2, 515, 517}}) {
    const Tensor x = counting(shape);
    const Tensor y = transpose(x, {2, 0, 1});
    const auto from = x.data<float>();
    const auto to = y.data<float>();
    const auto rows = static_cast<size_t>(shape[0] * shape[1]);
    const auto columns = static_cast<size_t>(shape[2]);
    size_t wrong = 0;
    for (size_t r = 0; r < rows; ++r) {
      for (size_t c = 0; c < columns; ++c) {
        wrong += from[r * columns + c] != to[c * rows + r] ? 1 : 0;
      }
    }
    EXPECT_EQ(wrong, 0u) << to_string(shape);
    EXPECT_EQ(transpose(y, {1, 2, 0}).to_vector<float>(), x.to_vector<float>());
  }
}

TEST(ShapeOps, LargeScattersAddUpEveryRow) {
  const int64_t count = 50000;
  const Tensor rows = tile(list({3, 1, 4, 1, 5}), list({count / 5}));
  const Tensor sums =
      unsorted_segment_sum(ones(DType::kFloat32, Shape{count, 32}), rows, Tensor(int64_t{6}));
  for (int64_t i : {0, 1, 2, 3, 4, 5}) {
    const double expected = i == 1 ? 20000 : (i == 0 || i == 2 ? 0 : 10000);
    EXPECT_EQ(sums.number_at(i * 32 + 31), expected) << i;
  }
}

TEST(ShapeOps, TopKTakesNaNAsTheLargest) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto [values, indices] = top_k(Tensor{1.0f, nan, 3.0f, nan}, Tensor(3));
  EXPECT_EQ(indices.to_vector<int>(), (std::vector<int>{1, 3, 2}));
  EXPECT_TRUE(std::isnan(values.data<float>()[0]));
}

TEST(ShapeOps, UniqueKeepsNaNsApartAndStringsTogether) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(unique(Tensor{nan, 1.0f, nan, 1.0f})[0].num_elements(), 3);
  const std::string_view texts[] = {"one", "two", "one", "", "two"};
  const auto [y, idx] = unique(Tensor::from_strings(texts, Shape{5}));
  EXPECT_EQ(y.num_elements(), 3);
  EXPECT_EQ(y.string_at(1), "two");
  EXPECT_EQ(idx.to_vector<int>(), (std::vector<int>{0, 1, 0, 2, 1}));
}

TEST(ShapeOps, AnEmbeddingsGradientStaysSparse) {
  const Tensor table = matrix();
  Tape tape;
  tape.watch(table);
  const Tensor picked = gather(table, list({1, 1}), 0, 0);
  const Gradient gradient = tape.gradient(picked, {table})[0];
  EXPECT_TRUE(gradient.is_sparse());
  EXPECT_EQ(gradient.dense().to_vector<float>(), (std::vector<float>{0, 0, 0, 2, 2, 2}));
}

}  // namespace
}  // namespace penstock
