// Tests of attributes: kinds, comparison, text, absent lists, owned copies.
#include <penstock/core/attr.h>

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(Attr, KnowsItsKind) {
  EXPECT_EQ(Attr(true).kind(), AttrKind::kBool);
  EXPECT_EQ(Attr(3).as_int(), 3);
  EXPECT_EQ(Attr(2.5).as_float(), 2.5);
  EXPECT_EQ(Attr(DType::kInt8).as_dtype(), DType::kInt8);
  EXPECT_EQ(Attr("SAME").as_string(), "SAME");
  EXPECT_EQ(Attr().kind(), AttrKind::kNone);
}

TEST(Attr, ComparesByValue) {
  const std::vector<int64_t> a{1, 2};
  const std::vector<int64_t> b{1, 2};
  EXPECT_TRUE(Attr(std::span<const int64_t>(a)) == Attr(std::span<const int64_t>(b)));
  EXPECT_FALSE(Attr(1) == Attr(1.0));
  EXPECT_FALSE(Attr("a") == Attr("b"));
}

TEST(Attr, PrintsItsValue) {
  const std::vector<int64_t> list{0, -1};
  EXPECT_EQ(to_string(Attr(std::span<const int64_t>(list))), "[0,-1]");
  EXPECT_EQ(to_string(Attr(true)), "true");
  EXPECT_EQ(to_string(Attr(DType::kBFloat16)), "bfloat16");
  EXPECT_EQ(to_string(Attr("VALID")), "VALID");
}

TEST(Attr, EveryAxisIsNotNoAxis) {
  const Attr every = Attr(std::span<const int64_t>(kNotGiven));
  const Attr none = Attr(std::span<const int64_t>());
  EXPECT_EQ(to_string(every), "all");
  EXPECT_EQ(to_string(none), "[]");
  EXPECT_FALSE(every == none);
  const Attr attrs[] = {every};
  const OwnedAttrs copy{Attrs(attrs)};
  EXPECT_TRUE(is_every_axis(copy.view()[0].as_ints()));
}

TEST(Attr, ListsOfTheSameNumberAreNotTheOneThatWasNotGiven) {
  const std::vector<int64_t> given{kNotGiven[0]};
  const Attr list = Attr(std::span<const int64_t>(given));
  EXPECT_TRUE(is_given(list.as_ints()));
  EXPECT_EQ(to_string(list), "[-9223372036854775808]");
  EXPECT_FALSE(list == Attr(std::span<const int64_t>(kNotGiven)));
}

TEST(OwnedAttrs, OutliveWhatTheyWereMadeFrom) {
  std::optional<OwnedAttrs> owned;
  {
    const std::string name = "a name that is longer than eight";
    const std::vector<int64_t> list{1, 2, 3};
    const Attr attrs[] = {Attr(std::span<const int64_t>(list)), Attr(7),
                          Attr(std::string_view(name)), Attr(std::string_view())};
    owned.emplace(Attrs(attrs));
  }
  const OwnedAttrs moved = std::move(*owned);
  EXPECT_EQ(moved.view()[0].as_ints()[2], 3);
  EXPECT_EQ(moved.view()[1].as_int(), 7);
  EXPECT_EQ(moved.view()[2].as_string(), "a name that is longer than eight");
  EXPECT_EQ(moved.view()[3].as_string(), "");
}

}  // namespace
}  // namespace penstock
