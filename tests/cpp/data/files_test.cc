// Readers of files: lines, TFRecords, records of one size.
#include "data/files.h"

#include <penstock/ledger/ledger.h>

#include "data/files/file_reader.h"
#include "support/testing.h"

namespace penstock {
namespace {

using namespace testing_support;
using data::Dataset;
using Paths = std::vector<std::string>;

TEST(TextLine, SplitsAtNewlines) {
  const Folder folder;
  const auto lines = [&](const std::string& text) {
    return all(Dataset::text_lines(Paths{folder.write("a", text)}));
  };
  EXPECT_EQ(lines("a\nbc\n\nd\n"), (Words{"a", "bc", "", "d"}));
  EXPECT_EQ(lines("a\nbc"), (Words{"a", "bc"}));
  EXPECT_EQ(lines("a\r\nb\r\n"), (Words{"a", "b"}));
  EXPECT_EQ(lines("a\rb\n"), (Words{"ab"}));
  EXPECT_EQ(lines("\n"), (Words{""}));
  EXPECT_EQ(lines(""), Words{});
}

TEST(TextLine, FilesComeOneAfterTheOther) {
  const Folder folder;
  const Paths files = {folder.write("a", "a\nb\n"), folder.write("b", "c\n"), folder.write("c", ""),
                       folder.write("d", "d")};
  const Dataset dataset = Dataset::text_lines(files);
  EXPECT_EQ(all(dataset), (Words{"a", "b", "c", "d"}));
  EXPECT_EQ(dataset.cardinality(), data::kUnknown);
  EXPECT_EQ(all(Dataset::text_lines(Paths{})), Words{});
  expect_restores(dataset);
}

TEST(TextLine, LinesLongerThanTheBuffer) {
  const Folder folder;
  const std::string line(5000, 'x'), other(1024, 'y');
  const Paths files = {folder.write("a", line + "\n" + other + "\n" + line)};
  EXPECT_EQ(all(Dataset::text_lines(files, "", 1024)), (Words{line, other, line}));
  expect_restores(Dataset::text_lines(files, "", 1024));
}

TEST(TextLine, AMissingFileFailsWhenItIsReached) {
  const Folder folder;
  const std::string missing = folder.path("missing");
  EXPECT_EQ(all(Dataset::text_lines(Paths{folder.write("a", "a\n"), missing})),
            (Words{"a", "! " + missing + "; No such file or directory"}));
  data::Iterator iterator(Dataset::text_lines(Paths{missing}));
  data::Element element;
  for (int i = 0; i < 3; ++i) EXPECT_ERROR(NotFoundError, "No such file", iterator.next(element));
  EXPECT_ERROR(FailedPreconditionError, "Is a directory",
               data::Iterator(Dataset::text_lines(Paths{folder.path("")})).next(element));
}

TEST(TextLine, ChecksItsOptions) {
  EXPECT_ERROR(InvalidArgumentError, "Unsupported compression_type.",
               Dataset::text_lines(Paths{"a"}, "ZIP"));
  EXPECT_ERROR(InvalidArgumentError, "`buffer_size` must be >= 0",
               Dataset::text_lines(Paths{"a"}, "", -1));
}

TEST(Compressed, EveryReader) {
  if (!has_zlib()) GTEST_SKIP() << "no zlib";
  const Folder folder;
  std::string text;
  Words lines;
  for (int i = 0; i < 3000; ++i) {
    lines.push_back(cat("line ", i));
    text += lines.back() + "\n";
  }
  for (const std::string compression : {"GZIP", "ZLIB"}) {
    const Paths one = {folder.write("a", compressed(compression, text))};
    EXPECT_EQ(all(Dataset::text_lines(one, compression, 1024)), lines);
    const Paths records = {folder.write("b", compressed(compression, record("x") + record("")))};
    EXPECT_EQ(all(Dataset::records(records, compression)), (Words{"x", ""}));
    expect_restores(Dataset::records(records, compression));
    const Paths fixed = {folder.write("c", compressed(compression, "Habcdef"))};
    EXPECT_EQ(all(Dataset::fixed_length_records(fixed, 2, 1, 0, compression)),
              (Words{"ab", "cd", "ef"}));
    EXPECT_EQ(all(Dataset::fixed_length_records(fixed, 2, 1, 2, compression)), (Words{"ab", "cd"}));
    expect_restores(Dataset::fixed_length_records(fixed, 2, 1, 2, compression));
    const Words cut = all(Dataset::fixed_length_records(fixed, 2, 0, 0, compression));
    ASSERT_EQ(cut.size(), 4u);
    EXPECT_NE(cut[3].find("has body length 7 bytes, which is not an exact multiple"),
              std::string::npos);
  }
  // Gzip files that are concatenated are one.
  const Paths two = {folder.write("d", compressed("GZIP", "a\n") + compressed("GZIP", "b\n"))};
  EXPECT_EQ(all(Dataset::text_lines(two, "GZIP")), (Words{"a", "b"}));
  EXPECT_EQ(all(Dataset::text_lines(Paths{folder.write("e", "plain")}, "GZIP")),
            (Words{"! inflate() failed with error -3: incorrect header check"}));
  EXPECT_EQ(all(Dataset::text_lines(Paths{folder.write("f", "")}, "GZIP")), Words{});
}

TEST(TFRecord, ReadsRecords) {
  const Folder folder;
  const Paths files = {folder.write("a", record("0:0") + record("0:1")), folder.write("b", ""),
                       folder.write("c", record(""))};
  EXPECT_EQ(all(Dataset::records(files)), (Words{"0:0", "0:1", ""}));
  EXPECT_EQ(all(Dataset::records(files, "BZIP")), (Words{"0:0", "0:1", ""}));
  expect_restores(Dataset::records(files));
  expect_restores(Dataset::records(files).batch(2));
}

TEST(TFRecord, DamageIsReportedOnce) {
  const Folder folder;
  const std::string good = record("0:0") + record("0:1") + record("0:2");
  const std::string after = folder.write("after", record("next"));
  const auto with_other_byte = [&](size_t at) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    return all(Dataset::records(Paths{folder.write("a", bytes), after}));
  };
  EXPECT_EQ(with_other_byte(12), (Words{"! corrupted record at 12", "next"}));
  EXPECT_EQ(with_other_byte(0),
            (Words{"! corrupted record at 0 (Is this even a TFRecord file?)", "next"}));
  EXPECT_EQ(with_other_byte(8),
            (Words{"! corrupted record at 0 (Is this even a TFRecord file?)", "next"}));
  EXPECT_EQ(with_other_byte(20), (Words{"0:0", "! corrupted record at 19", "next"}));
  // A record that is cut is the end of its file.
  for (size_t size = 0; size < good.size(); ++size) {
    const Words found =
        all(Dataset::records(Paths{folder.write("a", good.substr(0, size)), after}));
    EXPECT_EQ(found.size(), size / 19 + 1) << size;
    EXPECT_EQ(found.back(), "next");
  }
}

// Every byte changed in turn: an error or a shorter file, never something else.
TEST(TFRecord, NoDamageIsDangerous) {
  const Folder folder;
  const std::string good = record("abc") + record("defgh");
  for (size_t at = 0; at < good.size(); ++at) {
    for (const int change : {1, 128, 255}) {
      std::string bytes = good;
      bytes[at] = static_cast<char>(bytes[at] ^ change);
      EXPECT_LE(all(Dataset::records(Paths{folder.write("a", bytes)})).size(), 2u);
    }
  }
  // A length that is right by its checksum alone.
  const auto header = data::record_header(uint64_t{1} << 60);
  const std::string huge(header.data(), header.size());
  EXPECT_EQ(all(Dataset::records(Paths{folder.write("a", huge + "abc")})), Words{});
  if (!has_zlib()) return;
  EXPECT_EQ(
      all(Dataset::records(Paths{folder.write("a", compressed("GZIP", huge + "abc"))}, "GZIP")),
      Words{});
}

TEST(FixedLengthRecord, HeadersAndFooters) {
  const Folder folder;
  const Paths files = {folder.write("a", "HHabcdefF")};
  EXPECT_EQ(all(Dataset::fixed_length_records(files, 2, 2, 1)), (Words{"ab", "cd", "ef"}));
  const Paths two = {folder.write("b", "abcd"), folder.write("c", ""), folder.write("d", "efgh")};
  EXPECT_EQ(all(Dataset::fixed_length_records(two, 2)), (Words{"ab", "cd", "ef", "gh"}));
  expect_restores(Dataset::fixed_length_records(two, 2));
  const std::string odd = folder.write("e", "abcde");
  EXPECT_EQ(all(Dataset::fixed_length_records(Paths{odd}, 2)),
            (Words{"! Excluding the header (0 bytes) and footer (0 bytes), input file \"" + odd +
                   "\" has body length 5 bytes, which is not an exact multiple of the record "
                   "length (2 bytes)."}));
  EXPECT_EQ(all(Dataset::fixed_length_records(Paths{odd, two[0]}, 2, 7)).size(), 2u);
  EXPECT_ERROR(InvalidArgumentError, "`record_bytes` must be > 0",
               Dataset::fixed_length_records(Paths{"a"}, 0));
  EXPECT_ERROR(InvalidArgumentError, "`header_bytes` must be >= 0",
               Dataset::fixed_length_records(Paths{"a"}, 1, -1));
  EXPECT_ERROR(InvalidArgumentError, "`footer_bytes` must be >= 0",
               Dataset::fixed_length_records(Paths{"a"}, 1, 0, -1));
}

TEST(Readers, BookTheirBuffersAsPlanned) {
  const Folder folder;
  const Paths files = {folder.write("a", "a\nb\n")};
  const Dataset dataset = Dataset::text_lines(files, "", 4096);
  const data::MemoryPlan plan = dataset.memory_plan();
  EXPECT_EQ(plan.peak_bytes, 4096);
  EXPECT_TRUE(plan.is_exact);
  const auto held = [] { return ledger::tag_counters(0, Tag::kDataset).current; };
  const int64_t before = held();
  {
    data::Iterator iterator(dataset);
    data::Element element;
    iterator.next(element);
    EXPECT_EQ(held() - before, plan.peak_bytes);
    iterator.next(element);
    EXPECT_FALSE(iterator.next(element));
    EXPECT_EQ(held(), before);
  }
  if (!has_zlib()) return;
  const Paths packed = {folder.write("b", compressed("GZIP", "a\nb\n"))};
  const Dataset inflated = Dataset::text_lines(packed, "GZIP", 4096);
  data::Iterator iterator(inflated);
  data::Element element;
  iterator.next(element);
  EXPECT_GT(held() - before, 2 * 4096);
  EXPECT_LE(held() - before, inflated.memory_plan().peak_bytes);
}

// An element that finds no memory can be read later.
TEST(Readers, GoOnAfterABudgetThatWasTooSmall) {
  const Folder folder;
  const std::string large(100000, 'x');
  const Paths files = {folder.write("a", record("small") + record(large) + record("end"))};
  data::Iterator iterator(Dataset::records(files));
  EXPECT_EQ(take(iterator, 1), Words{"small"});
  data::Element element;
  {
    const BudgetScope budget(50000);
    EXPECT_ERROR(ResourceExhaustedError, "", iterator.next(element));
  }
  EXPECT_EQ(take(iterator), (Words{large, "end"}));
}

TEST(Readers, AFileThatBecameShorter) {
  const Folder folder;
  const Paths files = {folder.write("a", "abcdef\nghi\n")};
  const Dataset dataset = Dataset::text_lines(files);
  data::Iterator iterator(dataset);
  take(iterator, 1);
  const std::string position = iterator.save();
  folder.write("a", "a\n");
  iterator.restore(position);
  data::Element element;
  EXPECT_ERROR(DataLossError, "has become shorter", iterator.next(element));
}

}  // namespace
}  // namespace penstock
