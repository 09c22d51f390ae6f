// Tests of SmallVector: growth, copies, moves, elements that throw.
#include <penstock/base/small_vector.h>

#include <memory>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace penstock {
namespace {

// Counts its instances; a copy (and a move, unless it is of a moving kind) may be told to throw.
struct Fussy {
  static inline int alive = 0;
  static inline int copies_until_throw = -1;

  explicit Fussy(int v) : value(v) { ++alive; }
  Fussy(const Fussy& other) : value(other.value) {
    if (copies_until_throw >= 0 && copies_until_throw-- == 0) throw std::runtime_error("copy");
    ++alive;
  }
  ~Fussy() { --alive; }
  int value;
};

class SmallVectorOfFussy : public testing::Test {
 protected:
  void SetUp() override { Fussy::copies_until_throw = -1; }
  void TearDown() override { EXPECT_EQ(Fussy::alive, 0); }
};

TEST(SmallVector, GrowsFromInlineToTheHeap) {
  SmallVector<int, 2> list;
  for (int i = 0; i < 100; ++i) list.push_back(i);
  ASSERT_EQ(list.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(list[static_cast<size_t>(i)], i);
  list.clear();
  EXPECT_TRUE(list.empty());
}

TEST(SmallVector, AnElementOfItselfCanBeAppendedWhileItGrows) {
  SmallVector<std::string, 1> list{"a string that is too long to be inline"};
  list.push_back(list[0]);
  list.push_back(list[1]);
  EXPECT_EQ(list[2], list[0]);
}

TEST(SmallVector, MovingTakesTheElements) {
  for (const size_t count : {1u, 5u}) {  // inline and on the heap
    SmallVector<std::unique_ptr<int>, 2> from;
    for (size_t i = 0; i < count; ++i) from.push_back(std::make_unique<int>(static_cast<int>(i)));
    SmallVector<std::unique_ptr<int>, 2> to = std::move(from);
    EXPECT_EQ(to.size(), count);
    EXPECT_EQ(*to.back(), static_cast<int>(count) - 1);
    EXPECT_TRUE(from.empty());  // NOLINT: a moved-from list is empty and usable
    from.push_back(std::make_unique<int>(7));
    from = std::move(to);
    EXPECT_EQ(from.size(), count);
    EXPECT_TRUE(to.empty());  // NOLINT
  }
}

TEST(SmallVector, CopiesAreApart) {
  SmallVector<std::string, 1> a{"one", "two", "three"};
  SmallVector<std::string, 1> b = a;
  b[0] = "changed";
  EXPECT_EQ(a[0], "one");
  a = b;
  EXPECT_EQ(a, b);
  const SmallVector<std::string, 1>& alias = a;
  a = alias;
  EXPECT_EQ(a.size(), 3u);
}

TEST(SmallVector, ResizesBothWays) {
  SmallVector<int64_t, 2> list{7};
  list.resize(5);
  EXPECT_EQ(list.size(), 5u);
  EXPECT_EQ(list[4], 0);
  list.resize(1);
  EXPECT_EQ(list[0], 7);
  EXPECT_EQ(list.size(), 1u);
}

TEST_F(SmallVectorOfFussy, DestroysEveryElementOnce) {
  SmallVector<Fussy, 2> list;
  for (int i = 0; i < 9; ++i) list.emplace_back(i);
  EXPECT_EQ(Fussy::alive, 9);
  list.pop_back();
  const SmallVector<Fussy, 2> copy = list;
  EXPECT_EQ(Fussy::alive, 16);
}

TEST_F(SmallVectorOfFussy, AThrowingElementLeavesTheListAsItWas) {
  SmallVector<Fussy, 2> list;
  list.emplace_back(1);
  const Fussy two(2);
  Fussy::copies_until_throw = 0;
  EXPECT_THROW(list.push_back(two), std::runtime_error);
  EXPECT_EQ(list.size(), 1u);
  list.push_back(two);
  EXPECT_EQ(list[1].value, 2);
}

TEST_F(SmallVectorOfFussy, AThrowWhileGrowingLosesNothing) {
  for (int at = 0; at < 4; ++at) {
    SmallVector<Fussy, 2> list;
    list.emplace_back(1);
    list.emplace_back(2);
    const Fussy three(3);
    Fussy::copies_until_throw = at;
    try {
      list.push_back(three);
      EXPECT_EQ(list.size(), 3u);
    } catch (const std::runtime_error&) {
      EXPECT_EQ(list.size(), 2u);
      EXPECT_EQ(list[1].value, 2);
    }
    Fussy::copies_until_throw = -1;
  }
}

TEST_F(SmallVectorOfFussy, AThrowWhileCopyingLeavesNothingBehind) {
  SmallVector<Fussy, 1> list;
  for (int i = 0; i < 4; ++i) list.emplace_back(i);
  for (int at = 0; at < 4; ++at) {
    Fussy::copies_until_throw = at;
    EXPECT_THROW((SmallVector<Fussy, 1>(list)), std::runtime_error);
    Fussy::copies_until_throw = -1;
    EXPECT_EQ(Fussy::alive, 4);
  }
}

}  // namespace
}  // namespace penstock
