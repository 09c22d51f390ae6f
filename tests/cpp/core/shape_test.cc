// Tests of shapes, broadcasting, strides and dtypes.
#include <penstock/core/shape.h>

#include <vector>

#include <penstock/core/dtype.h>

#include "support/testing.h"

namespace penstock {
namespace {

TEST(Shape, CountsItsElements) {
  EXPECT_EQ(Shape{}.num_elements(), 1);
  EXPECT_EQ((Shape{2, 3, 4}).num_elements(), 24);
  EXPECT_EQ((Shape{2, 0, 4}).num_elements(), 0);
  EXPECT_EQ((Shape{2, 3}).num_bytes(8), 48);
}

TEST(Shape, SaysWhenTheCountOverflows) {
  const Shape huge{int64_t{1} << 32, int64_t{1} << 32};
  EXPECT_ERROR(ResourceExhaustedError, "[4294967296,4294967296] overflows", huge.num_elements());
  EXPECT_ERROR(ResourceExhaustedError, "size in bytes", (Shape{INT64_MAX}).num_bytes(2));
  // A shape without elements does not overflow, wherever its zero is.
  EXPECT_EQ((Shape{int64_t{1} << 40, int64_t{1} << 40, 0}).num_elements(), 0);
}

TEST(Shape, RefusesTooManyDimensionsAndNegativeOnes) {
  EXPECT_ERROR(InvalidArgumentError, "at most 8 dimensions, but 9", Shape(std::vector<int64_t>(9)));
  EXPECT_ERROR(InvalidArgumentError, "cannot be negative: -2", (Shape{1, -2}));
  Shape full{1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_ERROR(InvalidArgumentError, "at most 8", full.append(1));
  EXPECT_ERROR(InvalidArgumentError, "negative", full.set(0, INT64_MIN));
}

TEST(Shape, CanBeEdited) {
  Shape shape{2, 3};
  shape.insert(1, 7);
  shape.append(9);
  EXPECT_EQ(shape, (Shape{2, 7, 3, 9}));
  shape.remove(0);
  shape.set(0, 5);
  EXPECT_EQ(shape, (Shape{5, 3, 9}));
  EXPECT_FALSE((shape == Shape{5, 3}));
}

TEST(Shape, PrintsAsUsersWriteIt) {
  EXPECT_EQ(to_string(Shape{2, 3}), "[2,3]");
  EXPECT_EQ(to_string(Shape{}), "[]");
  EXPECT_EQ(to_string(Shape{2, kUnknownDim}), "[2,?]");
  EXPECT_EQ(to_string(Shape::unknown_rank()), "<unknown>");
}

struct Pair {
  Shape a, b;
  Shape expected;
};

TEST(Broadcasting, FollowsNumPy) {
  for (const auto& [a, b, expected] : std::vector<Pair>{
           {{2, 3}, {2, 3}, {2, 3}},
           {{2, 3}, {}, {2, 3}},
           {{2, 3}, {3}, {2, 3}},
           {{2, 1}, {1, 3}, {2, 3}},
           {{4, 1, 3}, {5, 1}, {4, 5, 3}},
           {{0, 3}, {1, 3}, {0, 3}},
           {{1}, {0}, {0}},
       }) {
    for (const auto& [x, y] : {std::pair(a, b), std::pair(b, a)}) {
      Shape out;
      ASSERT_TRUE(broadcast_shapes(x, y, &out)) << to_string(x) << to_string(y);
      EXPECT_EQ(out, expected) << to_string(out);
    }
  }
}

TEST(Broadcasting, RefusesWhatDoesNotGoTogether) {
  Shape out;
  EXPECT_FALSE(broadcast_shapes({2, 3}, {2}, &out));
  EXPECT_FALSE(broadcast_shapes({0}, {2}, &out));
}

TEST(Broadcasting, UnknownDimensionsGiveWay) {
  Shape out;
  ASSERT_TRUE(broadcast_shapes({kUnknownDim, 3}, {2, 3}, &out));
  EXPECT_EQ(out, (Shape{2, 3}));
  ASSERT_TRUE(broadcast_shapes({kUnknownDim}, {1}, &out));
  EXPECT_EQ(out, (Shape{kUnknownDim}));
  ASSERT_TRUE(broadcast_shapes(Shape::unknown_rank(), {1}, &out));
  EXPECT_FALSE(out.has_rank());
}

TEST(Strides, AreRowMajor) {
  const auto strides = row_major_strides({2, 3, 4});
  EXPECT_EQ(strides[0], 12);
  EXPECT_EQ(strides[1], 4);
  EXPECT_EQ(strides[2], 1);
}

TEST(DType, NamesGoBothWays) {
  for (int i = 1; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(dtype_from_name(dtype_name(dtype)), dtype);
    EXPECT_GT(dtype_size(dtype), 0u);
  }
  EXPECT_EQ(dtype_from_name("float31"), DType::kInvalid);
}

TEST(DTypeSet, IsASet) {
  constexpr DTypeSet set = kFloatTypes - kComplexTypes;
  EXPECT_TRUE(set == kRealFloatTypes);
  EXPECT_TRUE(set.has(DType::kBFloat16));
  EXPECT_FALSE(set.has(DType::kComplex64));
  EXPECT_FALSE(kAnyType.has(DType::kInvalid));
}

}  // namespace
}  // namespace penstock
