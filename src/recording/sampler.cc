#include "recording/sampler.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

#include <penstock/memory/memory.h>

#include "memory/page.h"

namespace penstock::recording {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(100);
constexpr int64_t kSamplesPerDoubling = 20'000;  // half an hour, then half as often, and so on

struct Sampler {
  std::mutex lock;
  std::condition_variable wakes;
  bool has_to_stop = false;
  std::thread thread;
};
// Never destroyed: the thread may be running when the process exits.
Sampler* g_sampler = nullptr;

int64_t resident_bytes() noexcept {
  char text[128] = {};
  const int statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (statm < 0) return 0;
  const ssize_t count = read(statm, text, sizeof text - 1);
  close(statm);
  long long all = 0, resident = 0;
  if (count <= 0 || std::sscanf(text, "%lld %lld", &all, &resident) != 2) return 0;
  return resident * static_cast<int64_t>(memory::page_bytes());
}

void look_after(Recorder& recorder, int64_t* since, int64_t* every) noexcept {
  const std::lock_guard lock(recorder.lock);
  if (!is_on()) return;
  recorder.file.drop_old_pages();
  if (++*since < *every) return update_header(recorder);
  *since = 0;
  take_sample(recorder);
  if (recorder.file.header().counts[static_cast<size_t>(Kind::kSamples)] % kSamplesPerDoubling == 0)
    *every *= 2;
}

void run(Sampler& sampler) {
  int64_t since = 0, every = 1;
  std::unique_lock lock(sampler.lock);
  while (!sampler.has_to_stop) {
    sampler.wakes.wait_for(lock, kInterval);
    if (sampler.has_to_stop) break;
    lock.unlock();
    look_after(recorder(), &since, &every);
    lock.lock();
  }
}

}  // namespace

void update_header(Recorder& recorder) noexcept {
  Header& header = recorder.file.header();
  header.duration = recorder.now();
  header.rss = resident_bytes();
  const MemoryCounters counters = ledger::device_counters(0);
  header.current = counters.current;
  header.peak = counters.peak;
  header.limit = ledger::limit(0);
  for (int i = 0; i < kNumTags; ++i) {
    const MemoryCounters of_tag = ledger::tag_counters(0, static_cast<Tag>(i));
    header.tag_current[i] = of_tag.current;
    header.tag_peak[i] = of_tag.peak;
  }
}

void take_sample(Recorder& recorder) noexcept {
  update_header(recorder);
  int32_t place = -1;
  SampleRecord* sample = recorder.file.add<SampleRecord>(Kind::kSamples, &place);
  if (sample == nullptr) return;
  const Header& header = recorder.file.header();
  const memory::Stats stats = memory::stats();
  sample->time = header.duration;
  sample->rss = header.rss;
  sample->held = header.current;
  sample->foreign = header.tag_current[static_cast<size_t>(Tag::kForeign)];
  sample->mapped = stats.mapped;
  sample->cached = stats.cached;
  sample->profiler = recorder.file.resident_bytes() + recorder.table_bytes();
}

void start_sampler() {
  if (g_sampler == nullptr) g_sampler = new Sampler;
  g_sampler->has_to_stop = false;
  g_sampler->thread = std::thread(run, std::ref(*g_sampler));
}

void stop_sampler() noexcept {
  if (g_sampler == nullptr) return;
  {
    const std::lock_guard lock(g_sampler->lock);
    g_sampler->has_to_stop = true;
  }
  g_sampler->wakes.notify_all();
  if (g_sampler->thread.joinable()) g_sampler->thread.join();
}

void forget_sampler() noexcept { g_sampler = nullptr; }

}  // namespace penstock::recording
