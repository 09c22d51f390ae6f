// Tests of recordings: the file, sites, plans, truncation, threads, forks.
#include <penstock/recording/recording.h>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <penstock/base/error.h>
#include <penstock/memory/buffer.h>
#include <penstock/tensor/tensor.h>

#include "recording/recording_file.h"

namespace penstock {
namespace {

namespace rec = recording;

// A recording's file as it lies on the disk, read without the code that wrote it.
struct Contents {
  rec::Header header{};
  std::vector<rec::BlockRecord> blocks;
  std::vector<rec::SiteRecord> sites;
  std::vector<rec::PlanRecord> plans;
  std::vector<rec::BeforeRecord> before;
  std::vector<std::string> names;

  explicit Contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string all((std::istreambuf_iterator<char>(file)), {});
    std::memcpy(&header, all.data(), sizeof header);
    for (size_t at = 4096; at < all.size();) {
      rec::ChunkHeader chunk;
      std::memcpy(&chunk, all.data() + at, sizeof chunk);
      const char* data = all.data() + at + sizeof chunk;
      const auto kind = static_cast<rec::Kind>(chunk.kind);
      if (kind == rec::Kind::kBlocks) read(data, kind, blocks);
      if (kind == rec::Kind::kSites) read(data, kind, sites);
      if (kind == rec::Kind::kPlans) read(data, kind, plans);
      if (kind == rec::Kind::kBefore) read(data, kind, before);
      if (kind == rec::Kind::kNames) read_names(data);
      at += chunk.bytes;
    }
  }
  std::string name(int32_t place) const {
    return place < 0 ? "" : names[static_cast<size_t>(place)];
  }

 private:
  size_t count(rec::Kind kind) const {
    return static_cast<size_t>(header.counts[static_cast<size_t>(kind)]);
  }
  template <typename Record>
  void read(const char* data, rec::Kind kind, std::vector<Record>& into) {
    for (size_t i = 0; i < rec::File::kPieceBytes / sizeof(Record); ++i) {
      if (into.size() == count(kind)) return;
      into.emplace_back();
      std::memcpy(&into.back(), data + i * sizeof(Record), sizeof(Record));
    }
  }
  void read_names(const char* data) {
    const char* const end = data + rec::File::kPieceBytes;
    while (names.size() < count(rec::Kind::kNames) && data + 4 <= end) {
      uint32_t length;
      std::memcpy(&length, data, 4);
      if (length == ~uint32_t{0}) return;
      names.emplace_back(data + 4, length);
      data += 4 + (length + 3) / 4 * 4;
    }
  }
};

rec::Site fixed_site() noexcept { return rec::site_of("train.py", 12, "step"); }

class Recording : public testing::Test {
 protected:
  std::string path_ = testing::TempDir() + "penstock_recording_" + std::to_string(getpid());
  void TearDown() override {
    rec::stop();
    std::remove(path_.c_str());
  }
  Contents stopped() {
    EXPECT_TRUE(rec::stop());
    return Contents(path_);
  }
};

TEST_F(Recording, HasEveryBlockWithWhatIsKnownOfIt) {
  rec::start(path_, fixed_site);
  const ledger::Owner op = ledger::add_owner("MatMul");
  {
    const Tensor gone = Tensor::empty(DType::kFloat32, {8, 3}, Tag::kActivation, op);
  }
  const Tensor kept = Tensor::empty(DType::kInt64, {5}, Tag::kOutput, op);
  const Contents found = stopped();
  ledger::remove_owner(op);
  ASSERT_EQ(found.blocks.size(), 2u);
  const rec::BlockRecord &first = found.blocks[0], &second = found.blocks[1];
  EXPECT_EQ(first.bytes, 96);
  EXPECT_EQ(found.name(first.op), "MatMul");
  EXPECT_EQ(found.name(first.dtype), "float32");
  EXPECT_EQ(found.name(first.shape), "(8, 3)");
  EXPECT_LE(first.start, first.end);
  EXPECT_EQ(static_cast<Tag>(second.tag), Tag::kOutput);
  EXPECT_EQ(found.name(second.shape), "(5,)");
  EXPECT_EQ(second.end, -1);
  ASSERT_EQ(found.sites.size(), 1u);
  EXPECT_EQ(found.name(found.sites[0].file), "train.py");
  EXPECT_EQ(found.sites[0].line, 12);
  EXPECT_EQ(found.sites[0].live_bytes, 40);
  EXPECT_EQ(found.sites[0].total_bytes, 136);
}

TEST_F(Recording, FollowsTagsAndSizes) {
  const ledger::Owner variable = ledger::add_owner("kernel", ledger::OwnerKind::kVariable);
  rec::start(path_, nullptr);
  {
    const BufferRef buffer(allocate_buffer({.bytes = 100'000, .device = {}}));
    retag_buffer(*buffer.get(), Tag::kVariable, variable);
    shrink_buffer(*buffer.get(), 60'000);
  }
  const Contents found = stopped();
  ledger::remove_owner(variable);
  ASSERT_EQ(found.blocks.size(), 2u);
  EXPECT_EQ(found.blocks[0].bytes, 100'000);
  EXPECT_EQ(static_cast<Tag>(found.blocks[0].tag), Tag::kVariable);
  EXPECT_EQ(found.blocks[1].bytes, 60'000);
  EXPECT_EQ(found.blocks[0].end, found.blocks[1].start);
  EXPECT_EQ(found.name(found.blocks[1].owner), "kernel");
  EXPECT_GE(found.blocks[1].end, 0);
}

TEST_F(Recording, KnowsWhatWasHeldBefore) {
  Tensor before = Tensor::empty(DType::kFloat32, {1000}, Tag::kCache);
  rec::start(path_, nullptr);
  before = {};
  const Contents found = stopped();
  int64_t held = 0;
  for (const rec::BeforeRecord& record : found.before) {
    if (static_cast<Tag>(record.tag) == Tag::kCache) held += record.bytes;
  }
  EXPECT_EQ(held, 4000);
  ASSERT_EQ(found.blocks.size(), 1u);
  EXPECT_EQ(found.blocks[0].bytes, 4000);
  EXPECT_NE(found.blocks[0].is_before, 0);
}

TEST_F(Recording, HoldsCallsAgainstTheirPlans) {
  rec::start(path_, nullptr);
  for (int64_t bytes : {1000, 3000, 2000}) {
    const rec::CallScope whole(
        {.name = "step", .file = "train.py", .line = 7, .planned_peak = 3000});
    const rec::CallScope call(
        {.name = "step", .file = "train.py", .line = 7, .planned_peak = 3000});
    const BufferRef buffer(allocate_buffer({.bytes = bytes, .device = {}}));
  }
  const Contents found = stopped();
  ASSERT_EQ(found.plans.size(), 1u);
  EXPECT_EQ(found.name(found.plans[0].name), "step");
  EXPECT_EQ(found.plans[0].calls, 3);
  EXPECT_EQ(found.plans[0].measured_peak, 3000);
  EXPECT_EQ(found.name(found.blocks[0].owner), "step");
}

TEST_F(Recording, SaysWhichLinesHoldWhatOnceTheBudgetIsSpent) {
  EXPECT_EQ(rec::holders(3), "");
  rec::start(path_, fixed_site);
  const Tensor kept = Tensor::empty(DType::kInt8, {5000}, Tag::kOutput);
  EXPECT_NE(rec::holders(3).find("5000 bytes in 1  train.py:12 in step"), std::string::npos);
}

TEST_F(Recording, NeedsAFileOfItsOwn) {
  EXPECT_THROW(rec::start("/no/such/folder/file", nullptr), NotFoundError);
  rec::start(path_, nullptr);
  EXPECT_THROW(rec::start(path_ + "2", nullptr), FailedPreconditionError);
  EXPECT_TRUE(rec::stop());
  EXPECT_FALSE(rec::stop());
}

TEST_F(Recording, MakesRoomForMoreBlocksThanAChunkHas) {
  constexpr int64_t kCount = 20'000;
  rec::start(path_, fixed_site);
  for (int64_t i = 0; i < kCount; ++i) {
    const BufferRef buffer(allocate_buffer({.bytes = i, .device = {}}));
  }
  EXPECT_EQ(rec::usage().num_blocks, kCount);
  const Contents found = stopped();
  ASSERT_EQ(found.blocks.size(), static_cast<size_t>(kCount));
  for (int64_t i = 0; i < kCount; ++i) ASSERT_EQ(found.blocks[static_cast<size_t>(i)].bytes, i);
}

TEST_F(Recording, GoesOnWhenItsFileIsCut) {
  for (const off_t left : {0, 4096, 300'000}) {
    rec::start(path_, fixed_site);
    std::vector<Tensor> held;
    for (int i = 0; i < 20'000; ++i) held.push_back(Tensor::empty(DType::kInt8, {1}));
    EXPECT_FALSE(rec::usage().is_cut);
    ASSERT_EQ(truncate(path_.c_str(), left), 0);
    for (int i = 0; i < 20'000; ++i)
      held[static_cast<size_t>(i)] = Tensor::empty(DType::kInt8, {2});
    const rec::CallScope call({.name = "after", .file = "train.py", .line = 1});
    rec::note("key", "text");
    EXPECT_TRUE(rec::usage().is_cut) << left;
    rec::holders(3);
    held.clear();
    EXPECT_TRUE(rec::stop());
  }
}

TEST_F(Recording, CountsWhatFindsNoRoom) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto old_handler = signal(SIGXFSZ, SIG_IGN);
  rec::start(path_, fixed_site);
  fixed_site();
  const rlimit small{static_cast<rlim_t>(rec::usage().file_bytes) + 600'000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  for (int i = 0; i < 30'000; ++i) Tensor::empty(DType::kInt8, {1});
  for (int i = 0; i < 30'000; ++i) rec::note("key", std::to_string(i));
  EXPECT_GT(rec::usage().num_dropped, 10'000);
  const Contents found = stopped();
  EXPECT_EQ(found.header.num_dropped + static_cast<int64_t>(found.blocks.size()), 30'000);
  EXPECT_GT(found.header.num_lost, 0);
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, old_handler);
}

TEST_F(Recording, StartsAndStopsWhileThreadsAllocate) {
  std::atomic<bool> ends{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&ends, t] {
      const rec::SiteScope at(rec::kNoSite);
      while (!ends.load()) {
        const Tensor tensor = Tensor::empty(DType::kFloat32, {t + 1, 16}, Tag::kOutput);
      }
    });
  }
  for (int i = 0; i < 5; ++i) {
    rec::start(path_, fixed_site);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const Contents found = stopped();
    EXPECT_EQ(found.header.num_dropped, 0);
  }
  ends = true;
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Recording, IsTheParentsAfterAFork) {
  rec::start(path_, nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const Tensor unseen = Tensor::empty(DType::kFloat32, {7}, Tag::kOutput);
    _exit(rec::is_on() ? 1 : 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  const Tensor seen = Tensor::empty(DType::kFloat32, {7}, Tag::kOutput);
  EXPECT_EQ(stopped().blocks.size(), 1u);
}

}  // namespace
}  // namespace penstock
