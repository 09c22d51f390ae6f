// Products whose bias and activation are done with them: the bits of the ops one by one, and
// nothing in between in memory.
#include <string>
#include <vector>

#include <penstock/ops/operators.h>

#include "support/functions.h"

namespace penstock {
namespace {

using namespace testing_support;
using Names = std::vector<std::string>;

TEST(Epilogues, OfAMatrixProduct) {
  const Body body = [](std::span<const Tensor> in) -> std::vector<Tensor> {
    const Tensor h = relu(matmul(in[0], in[1]) + in[2]);
    return {relu6(bias_add(matmul(h, in[1]), in[2]) * 1)};
  };
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    for (const int64_t rows : {17, 64, 333}) {
      const MemoryPlan plan =
          expect_same(body, {numbers(dtype, {rows, 70}, 1) - 3, numbers(dtype, {70, 70}, 2) - 3,
                             numbers(dtype, {70}, 3)});
      EXPECT_EQ(plan.instructions,
                (Names{"Fused(MatMul, AddV2, Relu)", "Fused(MatMul, AddV2, Relu6)"}));
    }
  }
}

TEST(Epilogues, OfBatchesAndWithoutABias) {
  const Body body = [](std::span<const Tensor> in) -> std::vector<Tensor> {
    return {relu(matmul(in[0], in[1])), matmul(in[0], in[1], false, true) + in[2],
            in[2] + matmul(in[0], in[0])};
  };
  const MemoryPlan plan = expect_same(
      body, {numbers(DType::kFloat32, {3, 40, 40}, 1) - 3, numbers(DType::kFloat32, {3, 40, 40}, 2),
             numbers(DType::kFloat32, {1, 40}, 3)});
  EXPECT_EQ(plan.instructions.size(), 3u);
}

TEST(Epilogues, BehindAReshape) {
  const Body body = [](std::span<const Tensor> in) -> std::vector<Tensor> {
    const Tensor flat = reshape(in[0], Tensor::from<int32_t>({66, 40}, {2}));
    const Tensor y = reshape(matmul(flat, in[1]), Tensor::from<int32_t>({6, 11, 40}, {3}));
    return {relu(reshape(y + in[2], Tensor::from<int32_t>({11, 6, 40}, {3}))),
            reshape(matmul(in[1], in[1]) + in[2], Tensor::from<int32_t>({20, 80}, {2}))};
  };
  const MemoryPlan plan =
      expect_same(body, {numbers(DType::kFloat32, {6, 11, 40}, 1) - 3,
                         numbers(DType::kFloat32, {40, 40}, 2), numbers(DType::kFloat32, {40}, 3)});
  for (const PlannedValue& value : plan.values) EXPECT_NE(value.kind, "activation") << value.name;
}

TEST(Epilogues, OfAConvolution) {
  for (const char* format : {"NHWC", "NCHW"}) {
    const bool is_last = format[3] == 'C';
    const Body body = [&](std::span<const Tensor> in) -> std::vector<Tensor> {
      const Tensor y = conv2d(in[0], in[1], {1, 1, 1, 1}, "SAME", {}, format);
      return {relu(bias_add(y, in[2], format))};
    };
    const Shape image = is_last ? Shape{2, 9, 8, 16} : Shape{2, 16, 9, 8};
    const MemoryPlan plan = expect_same(
        body, {numbers(DType::kFloat32, image, 1), numbers(DType::kFloat32, {3, 3, 16, 16}, 2) - 3,
               numbers(DType::kFloat32, {16}, 3)});
    EXPECT_EQ(plan.instructions, is_last ? (Names{"Fused(Conv2D, AddV2, Relu)"})
                                         : (Names{"Conv2D", "BiasAdd", "Relu"}));
  }
}

TEST(Epilogues, WhatOthersNeedIsThere) {
  const Body body = [](std::span<const Tensor> in) -> std::vector<Tensor> {
    const Tensor product = matmul(in[0], in[1]);
    const Tensor sum = product + in[2];
    return {relu(sum) * sum, matmul(in[0], in[1], true) + matmul(in[1], in[0]), tanh(product)};
  };
  expect_same(body, {numbers(DType::kFloat32, {90, 90}, 1),
                     numbers(DType::kFloat32, {90, 90}, 2) - 3, numbers(DType::kFloat32, {90}, 3)});
}

// Half types are rounded between the ops; small products run without blocks.
TEST(Epilogues, OthersStayApart) {
  const Body body = [](std::span<const Tensor> in) -> std::vector<Tensor> {
    return {relu(matmul(in[0], in[1]) + in[2])};
  };
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kInt32}) {
    expect_same(
        body, {numbers(dtype, {60, 60}, 1), numbers(dtype, {60, 60}, 2), numbers(dtype, {60}, 3)});
  }
  expect_same(body, {numbers(DType::kFloat32, {2, 3}, 1), numbers(DType::kFloat32, {3, 2}, 2),
                     numbers(DType::kFloat32, {2}, 3)});
  expect_same(body, {numbers(DType::kFloat32, {500, 30}, 1), numbers(DType::kFloat32, {30, 2}, 2),
                     numbers(DType::kFloat32, {2}, 3)});
}

}  // namespace
}  // namespace penstock
