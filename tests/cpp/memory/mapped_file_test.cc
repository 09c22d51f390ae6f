// Tests of mapped files that are truncated, and reservations.
#include <penstock/memory/mapped_file.h>

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <vector>

#include <penstock/base/error.h>
#include <penstock/memory/memory.h>
#include <penstock/memory/reservation.h>

namespace penstock {
namespace {

const size_t kPage = static_cast<size_t>(sysconf(_SC_PAGESIZE));

// A file of so many pages of 'x', gone with the object.
class File {
 public:
  explicit File(size_t pages) {
    char path[] = "/tmp/penstock-mapped-XXXXXX";
    number = mkstemp(path);
    unlink(path);
    const std::string data(pages * kPage, 'x');
    EXPECT_EQ(write(number, data.data(), data.size()), static_cast<ssize_t>(data.size()));
  }
  ~File() { close(number); }
  int number;
};

TEST(MappedFile, ReadsZerosWhereTheFileWasCut) {
  const File file(3);
  auto* pages = static_cast<volatile char*>(memory::map_file(file.number, 0, 3 * kPage, false));
  ASSERT_NE(pages, nullptr);
  ASSERT_EQ(ftruncate(file.number, kPage), 0);
  EXPECT_EQ(pages[kPage - 1], 'x');
  EXPECT_EQ(pages[kPage], 0);
  EXPECT_EQ(pages[3 * kPage - 1], 0);
  memory::unmap_file(const_cast<char*>(pages), 3 * kPage);
}

TEST(MappedFile, TakesWritesWhereTheFileWasCut) {
  const File file(2);
  auto* pages = static_cast<volatile char*>(memory::map_file(file.number, 0, 2 * kPage, true));
  ASSERT_NE(pages, nullptr);
  ASSERT_EQ(ftruncate(file.number, 0), 0);
  pages[0] = 'a';
  pages[kPage] = 'b';
  EXPECT_EQ(pages[0], 'a');
  memory::unmap_file(const_cast<char*>(pages), 2 * kPage);
}

TEST(MappedFile, StartsAnywhereInAPage) {
  const File file(3);
  ASSERT_EQ(pwrite(file.number, "ab", 2, static_cast<off_t>(kPage + 100)), 2);
  auto* data = static_cast<volatile char*>(
      memory::map_file(file.number, static_cast<int64_t>(kPage + 100), 2 * kPage - 100, true));
  ASSERT_NE(data, nullptr);
  EXPECT_EQ(data[0], 'a');
  EXPECT_EQ(data[2], 'x');
  ASSERT_EQ(ftruncate(file.number, static_cast<off_t>(kPage + 101)), 0);
  EXPECT_EQ(data[0], 'a');
  EXPECT_EQ(data[2 * kPage - 101], 0);  // on the page that is gone
  memory::unmap_file(const_cast<char*>(data), 2 * kPage - 100);
}

TEST(MappedFile, ManyComeAndGo) {
  const File file(1);
  std::vector<void*> pages;
  for (int i = 0; i < 3000; ++i) {
    pages.push_back(memory::map_file(file.number, 0, kPage, false));
    ASSERT_NE(pages.back(), nullptr);
  }
  for (void* each : pages) memory::unmap_file(each, kPage);
  EXPECT_EQ(memory::map_file(-1, 0, kPage, false), nullptr);
}

// Touches a mapping that is not ours, of a file that is cut, after one of ours was made.
void touch_another_mapping() {
  const File ours(1);
  memory::map_file(ours.number, 0, kPage, false);
  const File other(1);
  void* pages = mmap(nullptr, kPage, PROT_READ, MAP_SHARED, other.number, 0);
  if (ftruncate(other.number, 0) == 0) _exit(*static_cast<volatile char*>(pages));
}

// A sanitizer has a handler of its own, which ends the process with a report.
bool died_of_the_fault(int status) {
#if defined(PENSTOCK_SANITIZE_ADDRESS) || defined(PENSTOCK_SANITIZE_THREAD)
  return WIFSIGNALED(status) || WEXITSTATUS(status) != 0;
#else
  return testing::KilledBySignal(SIGBUS)(status);
#endif
}

TEST(MappedFileDeathTest, LeavesOtherFaultsAlone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(touch_another_mapping(), died_of_the_fault, "");
}

TEST(Reservation, IsCountedAndLimited) {
  const int64_t before = memory::info(Tag::kHost).current;
  {
    const Reservation booked(1 << 20, "test");
    EXPECT_EQ(memory::info(Tag::kHost).current, before + (1 << 20));
  }
  EXPECT_EQ(memory::info(Tag::kHost).current, before);
  const int64_t budget = memory::budget();
  memory::set_budget(memory::info().current + 1000);
  try {
    const Reservation booked(1001, "test");
    ADD_FAILURE();
  } catch (const ResourceExhaustedError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("[test] cannot allocate 1001 bytes"));
  }
  memory::set_budget(budget);
  EXPECT_EQ(memory::info(Tag::kHost).current, before);
}

}  // namespace
}  // namespace penstock
