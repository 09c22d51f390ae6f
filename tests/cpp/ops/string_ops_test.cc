// String ops: error texts, what the ledger holds, and long input.
#include <array>
#include <cmath>
#include <string>

#include <penstock/memory/memory.h>
#include <penstock/ops/grad_helpers.h>

#include "support/testing.h"

namespace penstock {
namespace {

Tensor strings(std::initializer_list<std::string_view> values) {
  return Tensor::from_strings(std::span(values.begin(), values.size()),
                              Shape{static_cast<int64_t>(values.size())});
}
Tensor string(std::string_view value) { return Tensor::from_strings({&value, 1}, Shape{}); }

TEST(StringOps, ErrorsSayWhatTensorFlowSays) {
  const Tensor abc = strings({"abc"});
  EXPECT_ERROR(InvalidArgumentError, "pos 4 out of range for string b'abc' at index 0",
               substr(abc, Tensor(4), Tensor(1)));
  EXPECT_ERROR(InvalidArgumentError, "pos -4 out of range",
               substr(abc, Tensor(-4), Tensor(1), "UTF8_CHAR"));
  EXPECT_ERROR(InvalidArgumentError, "pos and len should have the same shape",
               substr(abc, Tensor{1, 2}, Tensor(1)));
  for (std::string_view text : {"x", "", "1.5", "3000000000", "1 2"}) {
    EXPECT_ERROR(InvalidArgumentError, "could not correctly convert string: ",
                 string_to_number(string(text), DType::kInt32));
  }
  EXPECT_ERROR(InvalidArgumentError, "could not correctly convert",
               string_to_number(string("-5"), DType::kUInt64));
  EXPECT_ERROR(InvalidArgumentError, "Invalid pattern: (, error: missing )",
               regex_replace(abc, string("("), string("x")));
  EXPECT_ERROR(InvalidArgumentError, "Invalid pattern: (, error: missing )",
               static_regex_full_match(abc, "("));
  EXPECT_ERROR(InvalidArgumentError, "precision not supported for datatype int32",
               as_string(Tensor{1}, 2));
  EXPECT_ERROR(InvalidArgumentError, "Cannot select both scientific and shortest notation",
               as_string(Tensor{1.0f}, -1, true, true));
  EXPECT_ERROR(InvalidArgumentError, "Input shapes do not match: [1] vs. [2]",
               string_join(std::array{abc, strings({"a", "b"})}));
  EXPECT_ERROR(InvalidArgumentError, "Invalid character found in base64.",
               decode_base64(string("a+b")));
  EXPECT_ERROR(InvalidArgumentError, "cannot be 1 modulo 4", decode_base64(string("abcde")));
  EXPECT_ERROR(InvalidArgumentError, "requires input strings to all be the same size",
               decode_raw(strings({"ab", "abcd"}), DType::kInt16));
  EXPECT_ERROR(InvalidArgumentError, "only utf-8 or '' (no encoding) is supported, received latin",
               string_lower(abc, "latin"));
  EXPECT_ERROR(InvalidArgumentError, "Key must have 2 elements",
               string_to_hash_bucket_strong(abc, 3, {1}));
}

TEST(StringOps, TheLedgerHoldsTheText) {
  const Tensor x = strings({"0123456789"});
  const int64_t before = memory::info(Tag::kHost).current;
  {
    const Tensor twice = string_join(std::array{x, x});
    EXPECT_EQ(memory::info(Tag::kHost).current - before, 20);
    const Tensor picked = gather(twice, Tensor{0, 0, 0});
    EXPECT_EQ(memory::info(Tag::kHost).current - before, 20);  // handles only
  }
  EXPECT_EQ(memory::info(Tag::kHost).current, before);
}

// A regular expression that backtracks would take for ever, and a recursive one the stack.
TEST(StringOps, LongTextIsNoTroubleForPatterns) {
  const std::string many(1 << 20, 'a');
  EXPECT_FALSE(regex_full_match(string(many), string("(a|a)*(a*)*b")).item<bool>());
  EXPECT_TRUE(regex_full_match(string(many), string("(a|b)*")).item<bool>());
  EXPECT_EQ(regex_replace(string(many), string("a"), string("bc")).string_at(0).size(),
            many.size() * 2);
}

TEST(StringOps, AWrongRewriteChangesNothing) {
  EXPECT_EQ(regex_replace(string("a"), string("a"), string("\\2")).string_at(0), "a");
}

TEST(StringOps, NumbersBeyondTheirDtype) {
  const Tensor found = string_to_number(
      strings({"1e39", "-1e39", "1e-60", "0.0000000000000000000000000000000000000000000000001"}));
  EXPECT_EQ(found.to_vector<float>(), (std::vector<float>{INFINITY, -INFINITY, 0, 0}));
}

TEST(StringOps, BrokenUtf8IsReplaced) {
  EXPECT_EQ(string_upper(string("a\xFF\xC3"), "utf-8").string_at(0), "A\uFFFD\uFFFD");
  EXPECT_EQ(string_upper(string("stra\u00DFe"), "utf-8").string_at(0), "STRASSE");
}

TEST(StringOps, SplitsAsTensorFlowDoes) {
  const auto [indices, values, shape] = string_split(strings({" a b c ", "d"}), string(""), 1);
  EXPECT_EQ(values.string_at(1), "b c ");
  EXPECT_EQ(values.string_at(3), "");
  EXPECT_EQ(shape.to_vector<int64_t>(), (std::vector<int64_t>{2, 2}));
}

}  // namespace
}  // namespace penstock
