// Segments, sorting, partitions and the like: what samples cannot show: error texts, long rows,
// NaN, and memory.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include <penstock/memory/memory.h>
#include <penstock/ops/grad_helpers.h>

#include "support/testing.h"

namespace penstock {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(IndexOps, ErrorsSayWhatTensorFlowSays) {
  const Tensor x = Tensor::from<float>({1, 2, 3, 4}, Shape{4});
  EXPECT_ERROR(InvalidArgumentError, "segment ids are not increasing",
               segment_sum(x, Tensor{0, 2, 1, 3}));
  EXPECT_ERROR(InvalidArgumentError, "segment ids must be >= 0",
               segment_max(x, Tensor{-1, 0, 1, 1}));
  EXPECT_ERROR(InvalidArgumentError, "is out of range [0, 2)",
               unsorted_segment_max(x, Tensor{0, 1, 2, 0}, Tensor(2)));
  EXPECT_ERROR(InvalidArgumentError, "partitions[1] = 5 is not in [0, 2)",
               dynamic_partition(x, Tensor{0, 5, 1, 1}, 2));
  EXPECT_ERROR(InvalidArgumentError, "Unknown sort direction", sort(x, -1, "UP"));
  EXPECT_ERROR(InvalidArgumentError, "mask cannot be scalar.", boolean_mask(x, Tensor(true)));
  EXPECT_ERROR(InvalidArgumentError, "2 is duplicated in the input.",
               invert_permutation(Tensor{2, 2, 0}));
  EXPECT_ERROR(InvalidArgumentError, "Input arr must be non-negative!",
               bincount(Tensor{1, -1}, Tensor(3), Tensor::empty(DType::kInt32, Shape{0})));
  EXPECT_ERROR(InvalidArgumentError, "value_range[0] < value_range[1]",
               histogram_fixed_width(x, Tensor{1.0f, 1.0f}, Tensor(3)));
  EXPECT_ERROR(InvalidArgumentError, "values must not contain NaN",
               histogram_fixed_width(Tensor{kNan}, Tensor{0.0f, 1.0f}, Tensor(3)));
  EXPECT_ERROR(InvalidArgumentError, "Block size should be > 1",
               space_to_depth(reshape(x, Tensor{1, 2, 2, 1}), 1));
  EXPECT_ERROR(InvalidArgumentError, "is not compatible with expected shape",
               ensure_shape(x, {2, 2}));
  EXPECT_ERROR(InvalidArgumentError, "shape of value was [1] instead of [2]",
               tensor_strided_slice_update(x, Tensor{0}, Tensor{2}, Tensor{1}, Tensor{1.0f}));
}

// Rows long enough for every kind of digit.
template <typename T>
void expect_sorted(const std::vector<T>& values) {
  const auto count = static_cast<int64_t>(values.size());
  const Tensor x = Tensor::from<T>(std::span<const T>(values), Shape{count});
  std::vector<T> expected = values;
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(sort(x).template to_vector<T>(), expected);
  std::reverse(expected.begin(), expected.end());
  EXPECT_EQ(sort(x, 0, "DESCENDING").template to_vector<T>(), expected);
  std::vector<int32_t> positions(values.size());
  std::iota(positions.begin(), positions.end(), 0);
  const auto at = [&](int32_t i) { return values[static_cast<size_t>(i)]; };
  std::stable_sort(positions.begin(), positions.end(),
                   [&](int32_t a, int32_t b) { return at(a) < at(b); });
  EXPECT_EQ(argsort(x).to_vector<int32_t>(), positions);
  std::iota(positions.begin(), positions.end(), 0);
  std::stable_sort(positions.begin(), positions.end(),
                   [&](int32_t a, int32_t b) { return at(a) > at(b); });
  EXPECT_EQ(argsort(x, 0, "DESCENDING").to_vector<int32_t>(), positions);
  const auto k = static_cast<int32_t>(count / 4);
  positions.resize(static_cast<size_t>(k));
  EXPECT_EQ(top_k(x, Tensor(k))[1].to_vector<int32_t>(), positions);
}

TEST(Sort, LongRowsOfEveryKindOfKey) {
  std::mt19937_64 random(1);
  for (const size_t count : {100u, 1000u, 40000u}) {
    const auto drawn = [&]<typename T>(T scale) {
      std::vector<T> values(count);
      for (T& value : values) {
        value = static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-53 *
                                   static_cast<double>(scale) * 2 -
                               (std::is_signed_v<T> ? static_cast<double>(scale) : 0));
      }
      return values;
    };
    expect_sorted(drawn(int8_t{100}));
    expect_sorted(drawn(uint16_t{30000}));
    expect_sorted(drawn(int32_t{2000000000}));
    expect_sorted(drawn(int64_t{4000000000000000000}));
    expect_sorted(drawn(1e30f));
    expect_sorted(drawn(1e300));
  }
}

TEST(Sort, NanIsTheLargest) {
  const Tensor x = Tensor{2.0f, kNan, -INFINITY, -kNan, INFINITY};
  const std::vector<float> sorted = sort(x).to_vector<float>();
  EXPECT_EQ(std::vector<float>(sorted.begin(), sorted.begin() + 3),
            (std::vector<float>{-INFINITY, 2, INFINITY}));
  EXPECT_TRUE(std::isnan(sorted[3]) && std::isnan(sorted[4]));
  EXPECT_EQ(argsort(x).to_vector<int32_t>(), (std::vector<int32_t>{2, 0, 4, 1, 3}));
  EXPECT_EQ(argsort(Tensor{0.0f, -0.0f, 0.0f}).to_vector<int32_t>(),
            (std::vector<int32_t>{0, 1, 2}));
}

TEST(TopK, LongRowsWithNanAndTies) {
  std::vector<float> values(1000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 100);
  values[640] = kNan;
  const auto best = top_k(Tensor::from<float>(values, Shape{1000}), Tensor(3))[1];
  EXPECT_EQ(best.to_vector<int32_t>(), (std::vector<int32_t>{640, 27, 127}));
}

TEST(StridedSliceUpdate, RunsInPlace) {
  Tensor x = fill(Tensor{4}, Tensor(1.0f));
  const void* data = x.raw();
  const Tensor y = tensor_strided_slice_update(std::move(x), Tensor{1}, Tensor{3}, Tensor{1},
                                               Tensor{5.0f, 6.0f});
  EXPECT_EQ(y.raw(), data);
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{1, 5, 6, 1}));
}

TEST(DynamicPartition, TakesNoMoreThanItsRows) {
  const Tensor rows = fill(Tensor{1000, 16}, Tensor(1.0f));
  const Tensor partitions = fill(Tensor{1000}, Tensor(3));
  memory::reset_peak();
  const int64_t before = memory::info().current;
  const Tensors parts = dynamic_partition(rows, partitions, 100);
  EXPECT_EQ(parts[3].shape(), (Shape{1000, 16}));
  EXPECT_LE(memory::info().peak - before, 1000 * 16 * 4 + 100 * 8);
}

}  // namespace
}  // namespace penstock
