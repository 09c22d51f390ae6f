// What samples cannot show: errors, tensors large enough for several threads, results in place.
#include <gtest/gtest.h>
#include <penstock/penstock.h>

#include <numeric>
#include <string>
#include <vector>

namespace penstock {
namespace {

template <typename Error, typename Call>
void expect_error(Call call, const std::string& text) {
  try {
    call();
    FAIL() << "expected: " << text;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

Tensor count_up(const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  std::iota(values.begin(), values.end(), 0.f);
  return Tensor::from<float>(values, shape);
}

TEST(Elementwise, Errors) {
  const Tensor two = Tensor::from<int32_t>({1, 2}, {2});
  const Tensor three = Tensor::from<int32_t>({1, 0, -1}, {3});
  expect_error<InvalidArgumentError>([&] { add(two, three); }, "Incompatible shapes: [2] vs. [3]");
  expect_error<InvalidArgumentError>([&] { floordiv(three, three); }, "Integer division by zero");
  expect_error<InvalidArgumentError>([&] { floormod(three, three); }, "Integer division by zero");
  expect_error<InvalidArgumentError>([&] { truncatediv(three, three); }, "division by zero");
  expect_error<InvalidArgumentError>([&] { truncatemod(three, three); }, "division by zero");
  expect_error<InvalidArgumentError>([&] { pow(three, three); },
                                     "Integers to negative integer powers are not allowed");
  expect_error<InvalidArgumentError>([&] { add_n(std::array{two, three}); },
                                     "must have the same size and shape");
  expect_error<InvalidArgumentError>(
      [&] { relu_grad(two, three); },
      "gradients and features must have the same shape: [2] vs. [3]");
  expect_error<InvalidArgumentError>([&] { clip_by_value(two, three, three); }, "[2] vs. [3]");
  expect_error<InvalidArgumentError>([&] { clip_by_value(Tensor(1), two, two); },
                                     "the bounds' shape [2] does not broadcast");
  expect_error<InvalidArgumentError>([&] { bitcast(two, DType::kComplex128); }, "last axis");
  expect_error<TypeError>([&] { bitcast(two, DType::kBool); }, "cannot bitcast to bool");
  expect_error<TypeError>([&] { divide(two, two); }, "int32");
  expect_error<TypeError>([&] { add(two, Tensor(1.f)); }, "float32");
  expect_error<TypeError>([&] { cast(two, DType::kString); }, "cannot cast to string");
}

TEST(Elementwise, NothingIsDividedInAnEmptyResult) {
  const Tensor none = Tensor::from<int32_t>(std::span<const int32_t>(), {0});
  EXPECT_EQ(floordiv(none, Tensor(0)).shape(), Shape{0});
}

TEST(Elementwise, BroadcastsAcrossThreads) {
  const Tensor x = count_up({211, 1, 97});
  const Tensor y = count_up({13, 1});
  const Tensor z = subtract(x, y);
  ASSERT_EQ(z.shape(), (Shape{211, 13, 97}));
  const auto values = z.data<float>();
  for (int64_t i = 0, at = 0; i < 211; ++i) {
    for (int64_t j = 0; j < 13; ++j) {
      for (int64_t k = 0; k < 97; ++k, ++at) {
        ASSERT_EQ(values[static_cast<size_t>(at)], static_cast<float>(i * 97 + k - j));
      }
    }
  }
}

TEST(Elementwise, InPlaceAgreesWithNewMemory) {
  const Tensor y = count_up({1000});
  Tensor x = count_up({1000});
  const void* memory = x.raw();
  const Tensor sum = add(std::move(x), y);
  EXPECT_EQ(sum.raw(), memory);
  EXPECT_EQ(sum.to_vector<float>(), (y * 2).to_vector<float>());
}

}  // namespace
}  // namespace penstock
