// Transposition of matrices that are larger than the caches, at sizes around the kernel's steps.
#include <penstock/ops.h>

#include "support/testing.h"

namespace penstock {
namespace {

void expect_transposed(int64_t rows, int64_t columns) {
  std::vector<int32_t> values(static_cast<size_t>(rows * columns));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int32_t>(i);
  const Tensor x = Tensor::from<int32_t>(values, {rows, columns});
  const Tensor y = transpose(x, {1, 0});
  const std::span<const int32_t> turned = y.data<int32_t>();
  int64_t wrong = 0;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c)
      wrong += turned[static_cast<size_t>(c * rows + r)] != r * columns + c;
  }
  EXPECT_EQ(wrong, 0) << rows << " x " << columns;
}

TEST(Transpose, EveryRemainderOfTheVectorSteps) {
  for (int64_t rows : {1, 3, 4, 15, 16, 17, 33}) {
    for (int64_t columns : {1, 7, 8, 16, 31, 1025}) expect_transposed(rows, columns);
  }
}

TEST(Transpose, ResultsThatPassTheCaches) {
  expect_transposed(2048, 1040);  // aligned rows: written past the caches
  expect_transposed(1501, 1403);
}

}  // namespace
}  // namespace penstock
