// Csv: records of comma-separated values.
#include "data/files.h"
#include "support/testing.h"

namespace penstock {
namespace {

using namespace testing_support;
using data::Dataset;

struct Options {
  std::string compression = "";
  int64_t buffer = 0;
  bool header = false;
  std::string delimiter = ",";
  bool quotes = true;
  std::string missing = "";
  std::vector<int64_t> selected = {}, excluded = {};
};

Tensor text(std::string_view value) { return Tensor::from_strings({&value, 1}, Shape{}); }
Tensor columns(const std::vector<int64_t>& values) {
  return Tensor::from<int64_t>(values, Shape{static_cast<int64_t>(values.size())});
}
// A field that must be there.
Tensor needed(DType dtype) { return Tensor::empty(dtype, Shape{0}); }
const auto kInt = DType::kInt32;
const auto kWord = DType::kString;

Dataset csv(const std::vector<std::string>& files, const std::vector<Tensor>& defaults,
            const Options& options = {}) {
  const std::vector<std::string_view> names(files.begin(), files.end());
  std::vector<Tensor> operands = {
      Tensor::from_strings(names, Shape{static_cast<int64_t>(names.size())}),
      text(options.compression),
      Tensor(options.buffer),
      Tensor(options.header),
      text(options.delimiter),
      Tensor(options.quotes),
      text(options.missing),
      columns(options.selected),
      columns(options.excluded)};
  operands.insert(operands.end(), defaults.begin(), defaults.end());
  return Dataset::make("Csv", {.operands = operands});
}

class Csv : public ::testing::Test {
 protected:
  Words read(const std::string& content, const std::vector<Tensor>& defaults,
             const Options& options = {}) {
    return all(csv({folder_.write("a.csv", content)}, defaults, options));
  }
  const Folder folder_;
};

const std::vector<Tensor>& two_ints() {
  static const auto* const both = new std::vector<Tensor>{needed(kInt), needed(kInt)};
  return *both;
}
std::vector<Tensor> two_words() { return {needed(kWord), needed(kWord)}; }

TEST_F(Csv, ConvertsFields) {
  const std::vector<Tensor> defaults = {needed(kInt), needed(DType::kFloat32), needed(kWord)};
  EXPECT_EQ(read("1,2.5,x\n2,3.5,y\n", defaults), (Words{"1|2.5|x", "2|3.5|y"}));
  EXPECT_EQ(read("a,b,c\n1,2.5,x\n", defaults, {.header = true}), (Words{"1|2.5|x"}));
  const Dataset dataset = csv({folder_.path("a.csv")}, defaults);
  EXPECT_EQ(to_string(dataset.spec()), "(int32[], float32[], string[])");
  EXPECT_EQ(dataset.cardinality(), data::kUnknown);
  EXPECT_EQ(read("5000000000,1e3\n", {needed(DType::kInt64), needed(DType::kFloat64)}),
            (Words{"5e+09|1000"}));
}

TEST_F(Csv, EndsOfRecords) {
  EXPECT_EQ(read("1,2\r\n3,4\r\n", two_ints()), (Words{"1|2", "3|4"}));
  EXPECT_EQ(read("1,2\r3,4\r", two_ints()), (Words{"1|2", "3|4"}));
  EXPECT_EQ(read("1,2\n3,4", two_ints()), (Words{"1|2", "3|4"}));
  EXPECT_EQ(read("", two_ints()), Words{});
  EXPECT_EQ(read("1;2\n", two_ints(), {.delimiter = ";"}), (Words{"1|2"}));
}

TEST_F(Csv, DefaultsForMissingFields) {
  const std::string_view none = "none";
  const std::vector<Tensor> defaults = {Tensor({7}), Tensor({0.5f}),
                                        Tensor::from_strings({&none, 1}, Shape{1})};
  EXPECT_EQ(read("1,,x\n,2.5,\n", defaults), (Words{"1|0.5|x", "7|2.5|none"}));
  EXPECT_EQ(read("1,NA\nNA,2\n", {Tensor(0), Tensor(-1)}, {.missing = "NA"}),
            (Words{"1|-1", "0|2"}));
  EXPECT_EQ(read("1,\n2,3\n", two_ints()),
            (Words{"! Field 1 is required but missing in record!", "2|3"}));
  EXPECT_EQ(read("1,2\n\n3,4\n", two_ints()),
            (Words{"1|2", "! Field 0 is required but missing in record!", "3|4"}));
  EXPECT_EQ(read("1,", two_ints()), (Words{"! Field 1 is required but missing in record!"}));
}

TEST_F(Csv, Quotes) {
  EXPECT_EQ(read("\"a,b\",\"c \"\"d\"\"\"\n\"e\nf\",g\n", two_words()),
            (Words{"a,b|c \"d\"", "e\nf|g"}));
  EXPECT_EQ(read("\"a\",b\n", two_words(), {.quotes = false}), (Words{"\"a\"|b"}));
  EXPECT_EQ(read("a\"b,c\nd,e\n", two_words()),
            (Words{"! Unquoted fields cannot have quotes inside", "d|e"}));
  EXPECT_EQ(read("\"a,c\nd,e\n", two_words()),
            (Words{"! Reached end of file without closing quoted field in record"}));
  EXPECT_EQ(read("\"a\"b\",c\nd,e\n", two_words()),
            (Words{"! Quote inside a string has to be escaped by another quote", "d|e"}));
}

TEST_F(Csv, WrongRecordsArePassedOver) {
  EXPECT_EQ(read("1,x\n1\n1,2,3\n3,4\n", two_ints()),
            (Words{"! Field 1 in record is not a valid int32: x",
                   "! Expect 2 fields but have 1 in record",
                   "! Expect 2 fields but have more in record", "3|4"}));
  EXPECT_EQ(read("9999999999,1\n", two_ints()),
            (Words{"! Field 0 in record is not a valid int32: 9999999999"}));
  EXPECT_EQ(read("x\n", {needed(DType::kFloat32)}),
            (Words{"! Field 0 in record is not a valid float: x"}));
  EXPECT_EQ(read("", two_ints(), {.header = true}), (Words{"! Can't read header of file"}));
}

TEST_F(Csv, Columns) {
  EXPECT_EQ(read("1,x,2\n3,y,4\n", two_ints(), {.selected = {0, 2}}), (Words{"1|2", "3|4"}));
  EXPECT_EQ(read("1,x,2\n3,y,4\n", two_ints(), {.excluded = {1}}), (Words{"1|2", "3|4"}));
  EXPECT_EQ(read("1\n", two_ints(), {.selected = {0, 2}}),
            (Words{"! Expect 2 fields but have 1 in record"}));
  const auto make = [&](const Options& options) { return csv({"a"}, two_ints(), options); };
  EXPECT_ERROR(InvalidArgumentError, "select_cols should match output size",
               make({.selected = {0}}));
  EXPECT_ERROR(InvalidArgumentError, "select_cols should be strictly increasing indices",
               make({.selected = {1, 0}}));
  EXPECT_ERROR(InvalidArgumentError, "select_cols should be non-negative indices",
               make({.selected = {-1, 0}}));
  EXPECT_ERROR(InvalidArgumentError, "exclude_cols should be strictly increasing indices",
               make({.excluded = {1, 0}}));
  EXPECT_ERROR(InvalidArgumentError, "Either select_cols or exclude_cols should be empty",
               make({.selected = {0, 1}, .excluded = {2}}));
  EXPECT_ERROR(InvalidArgumentError, "field_delim should be only 1 char",
               make({.delimiter = "ab"}));
  EXPECT_ERROR(InvalidArgumentError, "Unsupported compression_type: BZ.",
               make({.compression = "BZ"}));
  EXPECT_ERROR(InvalidArgumentError, "There should only be 1 default per field but field 0 has 2",
               csv({"a"}, {Tensor({1, 2})}));
  EXPECT_ERROR(InvalidArgumentError, "not supported in field 0",
               csv({"a"}, {needed(DType::kUInt8)}));
}

TEST_F(Csv, SmallBuffersAndSeveralFiles) {
  std::string content;
  Words expected;
  for (int i = 0; i < 400; ++i) {
    content += cat(i, ",\"a \"\"", i, "\"\",\"\r\n");
    expected.push_back(cat(i, "|a \"", i, "\","));
  }
  const std::vector<Tensor> defaults = {needed(kInt), needed(kWord)};
  const std::string first = folder_.write("a", content), second = folder_.write("b", "1,x\n");
  Words both = expected;
  both.push_back("1|x");
  EXPECT_EQ(all(csv({first, second}, defaults, {.buffer = 1024})), both);
  EXPECT_EQ(all(csv({folder_.path("missing")}, defaults)),
            (Words{"! " + folder_.path("missing") + "; No such file or directory"}));
  const std::string small = folder_.write("c", "h,h\n1,x\n2,\"y\nz\"\r\n,\n3,w");
  expect_restores(csv({small, small}, defaults, {.header = true}));
  if (!has_zlib()) return;
  const std::string packed = folder_.write("d", compressed("GZIP", content));
  EXPECT_EQ(all(csv({packed}, defaults, {.compression = "GZIP", .buffer = 1024})), expected);
}

}  // namespace
}  // namespace penstock
