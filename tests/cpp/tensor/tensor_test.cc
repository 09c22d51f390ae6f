// Tests of tensors: construction, sharing, printing, ids.
#include <penstock/tensor/tensor.h>

#include "support/testing.h"

namespace penstock {
namespace {

TEST(Tensor, HoldsWhatItWasMadeFrom) {
  EXPECT_EQ(Tensor(2.5f).item<float>(), 2.5f);
  EXPECT_EQ((Tensor{1, 2, 3}).to_vector<int>(), (std::vector<int>{1, 2, 3}));
  const Tensor matrix = Tensor::from<double>({1, 2, 3, 4}, Shape{2, 2});
  EXPECT_EQ(matrix.dim(-1), 2);
  EXPECT_EQ(matrix.number_at(3), 4);
  EXPECT_EQ(Tensor::scalar(DType::kBFloat16, 1.5).number_at(0), 1.5);
}

TEST(Tensor, RefusesTheWrongNumberOfValues) {
  EXPECT_ERROR(InvalidArgumentError, "3 values cannot fill the shape [2,2]",
               Tensor::from<float>({1, 2, 3}, Shape{2, 2}));
  EXPECT_ERROR(InvalidArgumentError, "fully known shape",
               Tensor::empty(DType::kInt8, Shape{kUnknownDim}));
  EXPECT_ERROR(TypeError, "valid dtype", Tensor::empty(DType::kInvalid, Shape{}));
}

TEST(Tensor, RefusesAnotherType) {
  const Tensor tensor{1.f};
  EXPECT_ERROR(TypeError, "are float32, not float64", tensor.data<double>());
  EXPECT_ERROR(InvalidArgumentError, "one element", (Tensor{1, 2}).item<int>());
  EXPECT_ERROR(InvalidArgumentError, "no element 1", tensor.number_at(1));
  EXPECT_ERROR(InvalidArgumentError, "no element -1", tensor.number_at(-1));
  EXPECT_ERROR(TypeError, "cannot become a string", Tensor::scalar(DType::kString, 1));
  EXPECT_ERROR(FailedPreconditionError, "no data", tensor.without_data().data<float>());
}

TEST(Tensor, CopiesShareDataAndId) {
  const Tensor a{1, 2};
  const Tensor b = a;
  EXPECT_EQ(a.id(), b.id());
  EXPECT_EQ(a.raw(), b.raw());
  EXPECT_NE(a.shared_as({2, 1}).id(), a.id());
  EXPECT_NE(Tensor(1).id(), Tensor(1).id());
  EXPECT_EQ(a.without_data().id(), a.id());
}

TEST(Tensor, PrintsItself) {
  EXPECT_EQ(to_string(Tensor::from<int32_t>({1, 2, 3, 4}, {2, 2})),
            "tensor([[1, 2], [3, 4]], dtype=int32)");
  EXPECT_EQ(to_string(Tensor()), "tensor(undefined)");
  EXPECT_EQ(to_string(Tensor(INT64_MAX)), "tensor(9223372036854775807, dtype=int64)");
  EXPECT_EQ(to_string(Tensor::empty(DType::kFloat32, {2, 0})), "tensor([[], []], dtype=float32)");
  EXPECT_EQ(to_string(Tensor{complex64(1, -2)}), "tensor([1-2j], dtype=complex64)");
  EXPECT_EQ(to_string(Tensor(INT32_MIN)), "tensor(-2147483648, dtype=int32)");
  EXPECT_EQ(to_string(Tensor{true}), "tensor([true], dtype=bool)");
  EXPECT_EQ(to_string(Tensor{1, 2, 3, 4, 5, 6, 7, 8}),
            "tensor([1, 2, 3, …, 6, 7, 8], dtype=int32)");
}

TEST(Tensor, OverlongPrintIsCut) {
  const Tensor large = Tensor::from<int8_t>(std::vector<int8_t>(100000), {1000, 100});
  EXPECT_LT(to_string(large).size(), 500u);
}

TEST(Tensor, IdsDifferBetweenThreads) {
  std::vector<uint64_t> ids(4);
  testing_support::on_threads(4, [&](int i) { ids[static_cast<size_t>(i)] = Tensor(1.0).id(); });
  for (size_t i = 0; i < 4; ++i) {
    for (size_t k = 0; k < i; ++k) EXPECT_NE(ids[i], ids[k]);
  }
}

}  // namespace
}  // namespace penstock
