// What ops do not reach of convolutions: epilogues.
#include "kernels/conv.h"

#include <gtest/gtest.h>

#include <vector>

namespace penstock::kernels {
namespace {

// y = f(conv(x, w) + bias) must be what the steps one by one give, in several groups too.
template <typename T>
void check_epilogue(DType dtype, Activation activation, float (*f)(float)) {
  ConvShape s{.dtype = dtype, .batch = 2, .in_channels = 18, .out_channels = 40, .groups = 2};
  s.window[2] = {.in = 9, .out = 9, .size = 3, .pad = 1};
  const auto numbers = [](size_t count, int step) {
    std::vector<T> values;
    for (size_t i = 0; i < count; ++i) {
      values.push_back(T(static_cast<float>(static_cast<int>(i) * step % 7 - 3)));
    }
    return values;
  };
  const std::vector<T> x = numbers(2 * 9 * 18, 3), w = numbers(3 * 9 * 40, 5),
                       bias = numbers(40, 2);
  std::vector<T> plain(2 * 9 * 40), fused(2 * 9 * 40);
  std::vector<char> memory(static_cast<size_t>(conv_scratch_bytes(s)) + 64);
  void* scratch = memory.data() + (64 - reinterpret_cast<uintptr_t>(memory.data()) % 64);
  conv(s, x.data(), w.data(), plain.data(), scratch);
  conv(s, x.data(), w.data(), fused.data(), scratch,
       {.bias = bias.data(), .activation = activation, .alpha = 0.5});
  for (size_t i = 0; i < plain.size(); ++i) {
    EXPECT_EQ(float(fused[i]), float(T(f(float(plain[i]) + float(bias[i % 40]))))) << i;
  }
}

TEST(Conv, Epilogue) {
  check_epilogue<float>(DType::kFloat32, Activation::kNone, [](float x) { return x; });
  check_epilogue<float>(DType::kFloat32, Activation::kRelu, [](float x) { return x < 0 ? 0 : x; });
  check_epilogue<double>(DType::kFloat64, Activation::kRelu6, [](float x) {
    return x < 0 ? 0 : x > 6 ? 6 : x;
  });
  check_epilogue<bfloat16>(DType::kBFloat16, Activation::kLeakyRelu,
                           [](float x) { return x < 0 ? x / 2 : x; });
}

}  // namespace
}  // namespace penstock::kernels
