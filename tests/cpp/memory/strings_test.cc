// Tests of strings in tensors: accounting and lifetime.
#include <penstock/memory/strings.h>

#include <penstock/memory/buffer.h>
#include <penstock/tensor/tensor.h>

#include "support/testing.h"

namespace penstock {
namespace {

TEST(Strings, AreCountedInTheLedger) {
  const int64_t before = memory::info(Tag::kHost).current;
  const StringRef text = make_string("twelve chars");
  EXPECT_EQ(memory::info(Tag::kHost).current - before, 12);
  EXPECT_EQ(string_text(text), "twelve chars");
  release_strings({&text, 1});
  EXPECT_EQ(memory::info(Tag::kHost).current, before);
}

TEST(Strings, TheEmptyOneCostsNothing) {
  const int64_t before = memory::info().current;
  const StringRef text = make_string("");
  EXPECT_EQ(memory::info().current, before);
  EXPECT_EQ(string_text(text), "");
}

TEST(Strings, HoldAnyBytes) {
  const Tensor tensor =
      Tensor::from_strings(std::vector<std::string_view>{std::string_view("a\0b", 3), "\xFF"}, {2});
  EXPECT_EQ(tensor.string_at(0), std::string_view("a\0b", 3));
  EXPECT_EQ(tensor.string_at(1), "\xFF");
}

TEST(Strings, LiveAsLongAsSomebodyHoldsThem) {
  StringRef text = make_string("shared");
  {
    const Tensor tensor = Tensor::from<StringRef>({text, text}, Shape{2});
    release_strings({&text, 1});
    EXPECT_EQ(tensor.string_at(1), "shared");
  }
}

}  // namespace
}  // namespace penstock
