// What samples cannot say of reductions and ops along rows: errors, accuracy, running in place.
#include <penstock/base/threads.h>
#include <penstock/ops.h>
#include <penstock/ops/grad_helpers.h>

#include "support/testing.h"

namespace penstock {
namespace {

TEST(Reduce, Errors) {
  const Tensor x = ones(DType::kFloat32, {2, 3});
  EXPECT_ERROR(InvalidArgumentError, "[Sum] axis 2 is out of range", reduce_sum(x, {2}));
  EXPECT_ERROR(InvalidArgumentError, "[Max] axis -1 is given twice", reduce_max(x, {1, -1}));
  EXPECT_ERROR(InvalidArgumentError, "Reduction axis 0 is empty in shape [0,3]",
               argmax(ones(DType::kFloat32, {0, 3}), 0));
  EXPECT_ERROR(TypeError, "output_type must be int32 or int64, not float32",
               argmax(x, 0, DType::kFloat32));
  EXPECT_ERROR(InvalidArgumentError, "shape [2] does not broadcast to the input's shape [2,3]",
               sum_to(x, Tensor{2}));
  EXPECT_ERROR(InvalidArgumentError, "Incompatible shapes: [2,3] vs. [3]",
               broadcast_to(x, Tensor{3}));
}

TEST(Reduce, MillionsOfFloatsKeepTheirDigits) {
  const Tensor x = fill(Tensor{3, 1 << 22}, Tensor(0.1f));
  const double exact = static_cast<double>(0.1f) * (1 << 22);
  EXPECT_NEAR(reduce_sum(x).item<float>() / (3 * exact), 1, 1e-6);
  EXPECT_NEAR(reduce_sum(x, {1}).data<float>()[2] / exact, 1, 1e-6);
  const Tensor columns = reshape(x, Tensor{1 << 22, 3});
  EXPECT_NEAR(reduce_sum(columns, {0}).data<float>()[1] / exact, 1, 1e-6);
  EXPECT_NEAR(reduce_mean(x).item<float>(), 0.1f, 1e-7);
}

TEST(Reduce, SumsDoNotDependOnTheNumberOfThreads) {
  std::vector<float> values(300 * 1000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = 1.0f / static_cast<float>(i % 997 + 1);
  const Tensor x = Tensor::from<float>(std::span<const float>(values), {300, 1000});
  const int before = num_threads();
  set_num_threads(1);
  const float all = reduce_sum(x).item<float>();
  const std::vector<float> columns = reduce_sum(x, {0}).to_vector<float>();
  set_num_threads(4);
  EXPECT_EQ(reduce_sum(x).item<float>(), all);
  EXPECT_EQ(reduce_sum(x, {0}).to_vector<float>(), columns);
  set_num_threads(before);
}

TEST(Reduce, AxesOfSizeOneShareTheData) {
  const Tensor x = ones(DType::kFloat32, {2, 1, 3});
  EXPECT_EQ(reduce_max(x, {1}).raw(), x.raw());
  EXPECT_EQ(sum_to(x, Tensor{2, 1, 3}).raw(), x.raw());
}

TEST(SparseCrossEntropy, NamesTheBadLabelAndLeavesTheFeatures) {
  Tensor features = ones(DType::kFloat32, {2, 3});
  EXPECT_ERROR(
      InvalidArgumentError,
      "Received a label value of 3 which is outside the valid range of [0, 3), at position 1",
      sparse_softmax_cross_entropy_with_logits(std::move(features), Tensor{0, 3}));
  EXPECT_EQ(features.to_vector<float>(), std::vector<float>(6, 1.0f));
  EXPECT_ERROR(InvalidArgumentError, "got logits shape [2,3] and labels shape [3]",
               sparse_softmax_cross_entropy_with_logits(features, Tensor{0, 1, 2}));
}

TEST(Softmax, RunsInPlaceWhenHandedOver) {
  Tensor x = ones(DType::kFloat32, {2, 4});
  const void* data = x.raw();
  const Tensor y = softmax(std::move(x));
  EXPECT_EQ(y.raw(), data);
  EXPECT_EQ(y.to_vector<float>(), std::vector<float>(8, 0.25f));
}

}  // namespace
}  // namespace penstock
