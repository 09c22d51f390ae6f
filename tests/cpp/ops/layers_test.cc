// What samples cannot say of layers' ops: their errors, and the digits that a mean far off costs.
#include <penstock/api/random.h>
#include <penstock/ops.h>
#include <penstock/ops/grad_helpers.h>

#include "support/testing.h"

namespace penstock {
namespace {

TEST(FusedBatchNorm, Errors) {
  const Tensor x = ones(DType::kFloat32, {2, 2, 2, 3}), c = ones(DType::kFloat32, {3});
  EXPECT_ERROR(InvalidArgumentError,
               "scale must have the same number of elements as the channels of x, got 2 and 3",
               fused_batch_norm(x, ones(DType::kFloat32, {2}), c, c, c));
  EXPECT_ERROR(InvalidArgumentError, "input must be 4-dimensional for NHWC",
               fused_batch_norm(ones(DType::kFloat32, {2, 3}), c, c, c, c));
  EXPECT_ERROR(InvalidArgumentError, "mean must have the same number of elements",
               fused_batch_norm(x, c, c, ones(DType::kFloat32, {0}), c, 1e-3, 0.5));
  const Tensor wide = ones(DType::kFloat64, {3});
  EXPECT_ERROR(TypeError, "'scale' of float32 images must be float32",
               fused_batch_norm(x, wide, wide, wide, wide));
}

// 1e4 ± 1: squares in float32 would leave two digits of the variance.
TEST(FusedBatchNorm, MeanFarFromZero) {
  std::vector<float> values;
  for (int i = 0; i < 4096; ++i) values.push_back(i % 2 == 0 ? 9999.f : 10001.f);
  const Tensor x = Tensor::from<float>(values, {1024, 2, 1, 2});
  const Tensor by_channel = reshape(x, Tensor{2, 2, 1, 1024});  // both values in each channel
  const Tensor c = ones(DType::kFloat32, {2});
  const auto first = fused_batch_norm(by_channel, c, c, c, c, 1e-4, 1.0, "NCHW");
  for (float variance : first[4].data<float>()) EXPECT_NEAR(variance, 1, 1e-5);
  const Tensor mixed = reshape(x, Tensor{2048, 1, 2, 1});
  const auto last = fused_batch_norm(mixed, ones(DType::kFloat32, {1}), ones(DType::kFloat32, {1}),
                                     ones(DType::kFloat32, {1}), ones(DType::kFloat32, {1}));
  EXPECT_NEAR(last[4].item<float>(), 1, 1e-5);
}

TEST(Dropout, SeedsDecide) {
  const Tensor x = ones(DType::kFloat32, {64});
  const auto drop = [&](int64_t seed) {
    return dropout(x, 0.5, IntList::not_given(), 1, seed).to_vector<float>();
  };
  random::set_seed(7);
  const std::vector<float> first = drop(2);
  EXPECT_NE(first, drop(2));  // the stream continues
  random::set_seed(7);
  EXPECT_EQ(first, drop(2));
  EXPECT_NE(drop(2), drop(3));
  EXPECT_ERROR(InvalidArgumentError, "in the range [0, 1)", dropout(x, 1.0));
  EXPECT_ERROR(InvalidArgumentError, "does not broadcast", dropout(x, 0.5, {2}));
}

TEST(CtcLoss, Errors) {
  const Tensor x = ones(DType::kFloat32, {1, 1, 4});
  const Tensor at = Tensor::from<int64_t>({0, 0, 0, 1}, {2, 2});
  EXPECT_ERROR(InvalidArgumentError,
               "Not enough time for target transition sequence (required: 2, available: 1)",
               ctc_loss(x, at, Tensor{1, 2}, Tensor{1}));
  EXPECT_ERROR(InvalidArgumentError, "out of order or of bounds",
               ctc_loss(x, Tensor::from<int64_t>({0, 0, 1, 0}, {2, 2}), Tensor{1, 2}, Tensor{1}));
  EXPECT_ERROR(InvalidArgumentError, "labels[0] = 4 is not in [0, 4)",
               ctc_loss_dense(x, Tensor::from<int32_t>({4}, {1, 1}), Tensor{1}, Tensor{1}));
}

TEST(CropAndResize, Errors) {
  const Tensor image = ones(DType::kFloat32, {1, 2, 2, 1}), boxes = ones(DType::kFloat32, {1, 4});
  EXPECT_ERROR(InvalidArgumentError, "box_index[0] = 1 is not in [0, 1)",
               crop_and_resize(image, boxes, Tensor{1}, Tensor{1, 1}));
  EXPECT_ERROR(InvalidArgumentError, "crop dimensions must be positive",
               crop_and_resize(image, boxes, Tensor{0}, Tensor{0, 1}));
}

TEST(Resize, Errors) {
  const Tensor image = ones(DType::kFloat32, {1, 2, 2, 1});
  EXPECT_ERROR(InvalidArgumentError, "output dimensions must be positive",
               resize_bilinear(image, Tensor{0, 3}));
  EXPECT_ERROR(InvalidArgumentError, "align_corners must be False",
               resize_bicubic(image, Tensor{3, 3}, true, true));
}

}  // namespace
}  // namespace penstock
