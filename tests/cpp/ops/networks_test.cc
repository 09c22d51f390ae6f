// What samples cannot say of networks' ops: their errors, and scratch.
#include <penstock/ops.h>

#include "support/testing.h"

namespace penstock {
namespace {

Tensor image(const Shape& shape) {
  return fill(Tensor::from<int64_t>(shape.dims(), Shape{shape.rank()}), Tensor(1.0f));
}

TEST(MatMul, Errors) {
  EXPECT_ERROR(InvalidArgumentError, "Matrix size-incompatible: In[0]: [1,1], In[1]: [2,1]",
               matmul(image({1, 1}), image({2, 1})));
  EXPECT_ERROR(InvalidArgumentError, "In[1] must have at least two dimensions",
               matmul(image({1, 1}), image({1})));
  EXPECT_ERROR(InvalidArgumentError,
               "Incompatible batch dimensions: In[0]: [2,1,1], In[1]: [3,1,1]",
               matmul(image({2, 1, 1}), image({3, 1, 1})));
}

TEST(Conv2D, Errors) {
  const Tensor x = image({1, 4, 4, 3}), w = image({3, 3, 3, 2});
  EXPECT_ERROR(InvalidArgumentError, "strides must be positive",
               conv2d(x, w, {1, 0, 1, 1}, "SAME"));
  EXPECT_ERROR(InvalidArgumentError, "strides must be a number for every dimension",
               conv2d(x, w, {1, 1}, "SAME"));
  EXPECT_ERROR(InvalidArgumentError, "padding must be", conv2d(x, w, {1, 1, 1, 1}, "FULL"));
  EXPECT_ERROR(InvalidArgumentError,
               "input depth must be evenly divisible by filter depth: input [1,4,4,3]",
               conv2d(x, image({3, 3, 2, 2}), {1, 1, 1, 1}, "SAME"));
  EXPECT_ERROR(InvalidArgumentError, "Computed output size would be negative",
               conv2d(x, image({7, 7, 3, 1}), {1, 1, 1, 1}, "VALID"));
  EXPECT_ERROR(InvalidArgumentError, "explicit_paddings must be 32-bit numbers",
               conv2d(x, w, {1, 1, 1, 1}, "EXPLICIT", {0, 0, INT64_MAX, 0, 0, 0, 0, 0}));
  EXPECT_ERROR(
      InvalidArgumentError, "out_backprop has shape [1,1,1,2]",
      conv2d_backprop_filter(x, Tensor{3, 3, 3, 2}, image({1, 1, 1, 2}), {1, 1, 1, 1}, "SAME"));
}

TEST(Conv2D, ErrorsOfItsRelatives) {
  const Tensor x = image({1, 4, 4, 3});
  EXPECT_ERROR(InvalidArgumentError, "output_shape must have 4 elements, but has 3",
               conv2d_transpose(x, image({3, 3, 2, 3}), Tensor{1, 4, 4}, {1}));
  EXPECT_ERROR(InvalidArgumentError, "out_backprop has shape [1,4,4,3]",
               conv2d_transpose(x, image({3, 3, 2, 3}), Tensor{1, 4, 4, 2}, {2}));
  EXPECT_ERROR(InvalidArgumentError, "strides should be of length 1, 2 or 4 but was 3",
               conv2d_transpose(x, image({3, 3, 2, 3}), Tensor{1, 4, 4, 2}, {1, 1, 1}));
  EXPECT_ERROR(InvalidArgumentError, "input and filter must have the same depth: input [1,4,4,3]",
               depthwise_conv2d(x, image({3, 3, 2, 1}), {1, 1, 1, 1}, "SAME"));
  EXPECT_ERROR(InvalidArgumentError, "pointwise_filter [1,1,2,1] does not fit",
               separable_conv2d(x, image({3, 3, 3, 1}), image({1, 1, 2, 1}), {1, 1, 1, 1}, "SAME"));
  EXPECT_ERROR(InvalidArgumentError, "padding must be SAME or VALID",
               conv3d(image({1, 2, 2, 2, 1}), image({1, 1, 1, 1, 1}), {1, 1, 1, 1, 1}, "EXPLICIT"));
}

// An image without pixels still has an output where there is padding.
TEST(Conv2D, PaddingAlone) {
  const Tensor y = conv2d(image({1, 0, 3, 2}), image({2, 2, 2, 4}), {1, 1, 1, 1}, "EXPLICIT",
                          {0, 0, 2, 1, 0, 0, 0, 0});
  EXPECT_EQ(y.shape(), (Shape{1, 2, 2, 4}));
  for (float value : y.data<float>()) EXPECT_EQ(value, 0);
}

TEST(MaxPool, Errors) {
  const Tensor x = image({1, 4, 4, 3});
  EXPECT_ERROR(InvalidArgumentError, "ksize over the batch and the channels must be 1",
               max_pool(x, {1, 2, 2, 2}, {1, 1, 1, 1}, "SAME"));
  EXPECT_ERROR(InvalidArgumentError, "at least 1", max_pool(x, {1, 0, 2, 1}, {1, 1, 1, 1}, "SAME"));
  EXPECT_ERROR(InvalidArgumentError, "NHWC or NCHW",
               max_pool(x, {1, 2, 2, 1}, {1, 1, 1, 1}, "SAME", "CHWN"));
  EXPECT_ERROR(
      InvalidArgumentError, "smaller than the window",
      max_pool(x, {1, 2, 2, 1}, {1, 1, 1, 1}, "EXPLICIT", "NHWC", {0, 0, 2, 0, 0, 0, 0, 0}));
  EXPECT_ERROR(InvalidArgumentError, "padding must be SAME or VALID",
               avg_pool(x, {1, 2, 2, 1}, {1, 1, 1, 1}, "EXPLICIT"));
}

TEST(RandomUniformInt, RefusesAnEmptyRange) {
  EXPECT_ERROR(InvalidArgumentError, "Need minval < maxval, got 3 >= 3",
               random_uniform_int(Tensor{2}, Tensor(3), Tensor(3)));
  EXPECT_ERROR(TypeError, "int32", random_normal(Tensor{2}, DType::kInt32));
}

}  // namespace
}  // namespace penstock
