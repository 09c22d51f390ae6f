#include <penstock/recording/recording.h>

#include <pthread.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>

#include "memory/buffer_observer.h"
#include "recording/recorder.h"
#include "recording/sampler.h"

namespace penstock::recording {

std::atomic<bool> g_is_on{false};

namespace {

constexpr Site kAsk = -2;  // no scope gives the line
thread_local Site t_site = kAsk;
thread_local CallScope* t_call = nullptr;
std::atomic<uint32_t> g_generation{0};

// Whether a recording is running. Pre: the lock is held.
bool is_recording() noexcept { return g_is_on.load(std::memory_order_relaxed); }

// Around start() and stop(), which also start and join the sampler.
std::mutex g_switch;

// For a block from before the recording: its tag then, plus one.
uint8_t before_mark(const Buffer& buffer) noexcept {
  return static_cast<uint8_t>(static_cast<int>(buffer.tag) + 1);
}

// A child process has the parent's memory, but the recording belongs to the parent.
void before_fork() {
  g_switch.lock();
  recorder().lock.lock();
}
void in_parent() {
  recorder().lock.unlock();
  g_switch.unlock();
}
void in_child() {
  memory::set_observer(nullptr);
  g_is_on.store(false, std::memory_order_relaxed);
  recorder().file.abandon();
  forget_sampler();
  in_parent();
}

}  // namespace

// The calls that a thread is in: each sees the allocations made in it, and their releases.
struct Calls {
  static void add(int64_t bytes) noexcept {
    for (CallScope* call = t_call; call != nullptr; call = call->outer_) {
      call->held_ += bytes;
      call->peak_ = std::max(call->peak_, call->held_);
    }
  }
  static void remove(int32_t record, int64_t bytes) noexcept {
    for (CallScope* call = t_call; call != nullptr; call = call->outer_) {
      if (record >= call->first_record_) call->held_ -= bytes;
    }
  }
  static int32_t owner() noexcept { return t_call == nullptr ? -1 : t_call->name_; }
};

namespace {

// The functions of memory's observer. They do nothing if the recording has ended meanwhile.

void allocated(Buffer& buffer) noexcept {
  Recorder& all = recorder();
  // Before the lock: looking up the line may release memory.
  Site site = t_site;
  if (site == kAsk) {
    const LocateFn locate = all.locate.load(std::memory_order_relaxed);
    site = locate == nullptr ? kNoSite : locate();
  }
  const std::lock_guard lock(all.lock);
  if (!is_recording()) return;
  if (!all.add_block(buffer, site, all.now())) return;
  BlockRecord& block = all.block(buffer.record);
  if (block.owner < 0) block.owner = Calls::owner();
  Calls::add(buffer.bytes);
}

void releasing(const Buffer& buffer) noexcept {
  Recorder& all = recorder();
  const std::lock_guard lock(all.lock);
  if (!is_recording()) return;
  int32_t record = buffer.record;
  if (!all.has(buffer)) {
    // From before the recording: its contents become known now.
    Buffer copy_of_it;
    copy_of_it.tag = buffer.tag;
    copy_of_it.device = buffer.device;
    copy_of_it.owner = buffer.owner;
    copy_of_it.bytes = buffer.bytes;
    if (!all.add_block(copy_of_it, kNoSite, 0)) return;
    record = copy_of_it.record;
    all.block(record).is_before = before_mark(buffer);
  }
  all.end_block(record, all.now());
  Calls::remove(record, buffer.bytes);
}

void resizing(Buffer& buffer, int64_t bytes) noexcept {
  Recorder& all = recorder();
  const std::lock_guard lock(all.lock);
  if (!is_recording() || !all.has(buffer) || buffer.record < 0) return;
  // The larger block ends and a smaller one begins, so the history stays exact.
  const int64_t time = all.now();
  const BlockRecord before = all.block(buffer.record);
  all.end_block(buffer.record, time);
  Calls::remove(buffer.record, buffer.bytes);
  const int64_t held = std::exchange(buffer.bytes, bytes);
  if (all.add_block(buffer, before.site, time)) {
    BlockRecord& block = all.block(buffer.record);
    block.op = before.op;
    block.owner = before.owner;
    block.dtype = before.dtype;
    Calls::add(bytes);
  }
  buffer.bytes = held;
}

void retagging(Buffer& buffer, Tag tag, ledger::Owner owner) noexcept {
  Recorder& all = recorder();
  const std::lock_guard lock(all.lock);
  if (!is_recording()) return;
  if (!all.has(buffer)) {
    if (!all.add_block(buffer, kNoSite, 0)) return;
    all.block(buffer.record).is_before = before_mark(buffer);
  }
  if (buffer.record < 0) return;
  BlockRecord& block = all.block(buffer.record);
  block.tag = static_cast<uint8_t>(tag);
  all.set_owner(block, owner);
}

void describe(const Buffer& buffer, DType dtype, const Shape& shape) noexcept {
  Recorder& all = recorder();
  const std::lock_guard lock(all.lock);
  if (!is_recording() || !all.has(buffer) || buffer.record < 0) return;
  BlockRecord& block = all.block(buffer.record);
  block.dtype = static_cast<uint8_t>(dtype);
  block.shape = all.shape_of(shape);
}

constexpr memory::BufferObserver kObserver = {.allocated = allocated,
                                              .releasing = releasing,
                                              .resizing = resizing,
                                              .retagging = retagging,
                                              .describe = describe,
                                              .holders = holders};

}  // namespace

void start(const std::string& path, LocateFn locate) {
  static const int registered = pthread_atfork(before_fork, in_parent, in_child);
  static_cast<void>(registered);
  const std::lock_guard switching(g_switch);
  Recorder& all = recorder();
  {
    const std::lock_guard lock(all.lock);
    if (is_recording()) throw FailedPreconditionError("memory is being recorded already");
    if (const int problem = all.begin(path.c_str()); problem != 0) {
      const std::string text = cat("cannot record memory in ", path, ": ", std::strerror(problem));
      if (problem == ENOSPC) throw ResourceExhaustedError(text);
      throw NotFoundError(text);
    }
    all.locate.store(locate, std::memory_order_relaxed);
    g_generation.fetch_add(1, std::memory_order_relaxed);
    g_is_on.store(true, std::memory_order_release);
    memory::set_observer(&kObserver);
    take_sample(all);
  }
  start_sampler();
}

bool stop() {
  const std::lock_guard switching(g_switch);
  Recorder& all = recorder();
  {
    const std::lock_guard lock(all.lock);
    if (!is_recording()) return false;
    take_sample(all);
    memory::set_observer(nullptr);
    g_is_on.store(false, std::memory_order_relaxed);
    all.end();
  }
  stop_sampler();
  return true;
}

uint32_t generation() noexcept { return g_generation.load(std::memory_order_relaxed); }

Site site_of(std::string_view file, int line, std::string_view function) noexcept {
  Recorder& all = recorder();
  const std::lock_guard lock(all.lock);
  return is_recording() ? all.site_of(file, line, function) : kNoSite;
}

void note(std::string_view key, std::string_view text) noexcept {
  Recorder& all = recorder();
  const std::lock_guard lock(all.lock);
  if (!is_recording()) return;
  int32_t place = -1;
  const NoteRecord note{all.name_of(key), all.name_of(text)};
  if (NoteRecord* record = all.file.add<NoteRecord>(Kind::kNotes, &place)) *record = note;
}

Usage usage() {
  Recorder& all = recorder();
  const std::lock_guard lock(all.lock);
  if (!is_recording()) return {};
  const Header& header = all.file.header();
  return {.file_bytes = all.file.file_bytes(),
          .file_resident = all.file.resident_bytes(),
          .table_bytes = all.table_bytes(),
          .num_blocks = header.counts[static_cast<size_t>(Kind::kBlocks)],
          .num_dropped = header.num_dropped,
          .is_cut = all.file.is_cut()};
}

std::string holders(size_t most) {
  Recorder& all = recorder();
  std::vector<SiteRecord> sites;
  std::string out;
  const std::lock_guard lock(all.lock);
  if (!is_recording()) return out;
  const int64_t count = all.file.header().counts[static_cast<size_t>(Kind::kSites)];
  for (int32_t i = 0; i < count; ++i) {
    const SiteRecord& site = all.file.at<SiteRecord>(Kind::kSites, i);
    if (site.live_bytes > 0) sites.push_back(site);
  }
  most = std::min(most, sites.size());
  std::partial_sort(
      sites.begin(), sites.begin() + static_cast<ptrdiff_t>(most), sites.end(),
      [](const SiteRecord& a, const SiteRecord& b) { return a.live_bytes > b.live_bytes; });
  if (most > 0) out += "lines that hold the most\n";
  for (size_t i = 0; i < most; ++i) {
    char numbers[64];
    std::snprintf(numbers, sizeof numbers, "  %16lld bytes in %lld  ",
                  static_cast<long long>(sites[i].live_bytes),
                  static_cast<long long>(sites[i].live_count));
    out += cat(numbers, all.text_of(sites[i].file), ":", sites[i].line, " in ",
               all.text_of(sites[i].function), "\n");
  }
  return out;
}

SiteScope::SiteScope(Site site) noexcept : before_(std::exchange(t_site, site)) {}
SiteScope::~SiteScope() { t_site = before_; }

CallScope::CallScope(const Plan& plan) noexcept : outer_(std::exchange(t_call, this)) {
  Recorder& all = recorder();
  const std::lock_guard lock(all.lock);
  if (!is_recording()) return;
  generation_ = generation();
  plan_ = all.plan_of(plan);
  name_ = all.name_of(plan.name);
  first_record_ =
      static_cast<int32_t>(all.file.header().counts[static_cast<size_t>(Kind::kBlocks)]);
}

CallScope::~CallScope() {
  t_call = outer_;
  Recorder& all = recorder();
  const std::lock_guard lock(all.lock);
  if (!is_recording() || plan_ < 0 || generation_ != generation()) return;
  // A call whose parts are calls of the same plan counts as one call.
  if (outer_ != nullptr && outer_->plan_ == plan_ && outer_->generation_ == generation_) return;
  PlanRecord& record = all.file.at<PlanRecord>(Kind::kPlans, plan_);
  ++record.calls;
  record.measured_peak = std::max(record.measured_peak, peak_);
}

}  // namespace penstock::recording
