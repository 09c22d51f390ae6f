#include <penstock/ledger/ledger.h>

#include <atomic>
#include <cstdio>

#include "ledger/tallies.h"

namespace penstock {

static_assert(kNumTags == static_cast<int>(Tag::kForeign) + 1, "the last tag is kForeign");

std::string_view tag_name(Tag tag) {
  static constexpr std::array<std::string_view, kNumTags> kNames = {
      "activation", "variable", "constant", "gradient", "workspace", "output",
      "cache",      "trace",    "dataset",  "host",     "foreign"};
  return kNames[static_cast<size_t>(tag)];
}

namespace ledger {
namespace {

constexpr std::memory_order kRelaxed = std::memory_order_relaxed;

void raise_to(std::atomic<int64_t>& peak, int64_t value) noexcept {
  int64_t seen = peak.load(kRelaxed);
  while (seen < value && !peak.compare_exchange_weak(seen, value, kRelaxed)) {
  }
}

// Current bytes and their peak: a limit and a peak need one number that all threads share.
struct alignas(64) Account {
  std::atomic<int64_t> current{0};
  std::atomic<int64_t> peak{0};

  void add(int64_t bytes) noexcept { raise_to(peak, current.fetch_add(bytes, kRelaxed) + bytes); }
  // As add, but never exceeds the limit.
  bool add_within(int64_t bytes, int64_t limit) noexcept {
    int64_t seen = current.load(kRelaxed);
    do {
      if (bytes > limit - seen) return false;
    } while (!current.compare_exchange_weak(seen, seen + bytes, kRelaxed));
    raise_to(peak, seen + bytes);
    return true;
  }
  void reset_peak() noexcept { peak.store(current.load(kRelaxed), kRelaxed); }
};

struct DeviceBook {
  Account sum;
  std::atomic<int64_t> limit{kNoLimit};
  std::array<Account, kNumTags> tags;
};

constinit std::array<DeviceBook, kMaxDevices> g_devices;

DeviceBook& book(int device) noexcept { return g_devices[static_cast<size_t>(device)]; }
Account& account(int device, Tag tag) noexcept {
  return book(device).tags[static_cast<size_t>(tag)];
}

}  // namespace

namespace {

// A limit may be set below the current bytes: even then an allocation of no bytes succeeds.
bool is_limited(Tag tag, int64_t bytes) { return tag != Tag::kForeign && bytes > 0; }

}  // namespace

bool fits(int device, Tag tag, int64_t bytes) noexcept {
  const DeviceBook& d = book(device);
  return !is_limited(tag, bytes) || bytes <= d.limit.load(kRelaxed) - d.sum.current.load(kRelaxed);
}

bool allocate(int device, Tag tag, Owner owner, int64_t bytes) noexcept {
  DeviceBook& d = book(device);
  if (is_limited(tag, bytes) && !d.sum.add_within(bytes, d.limit.load(kRelaxed))) return false;
  account(device, tag).add(bytes);
  tallies::add_allocation(device, tag, bytes);
  tallies::add_holding(owner, bytes, 1);
  return true;
}

void release(int device, Tag tag, Owner owner, int64_t bytes) noexcept {
  if (tag != Tag::kForeign) book(device).sum.current.fetch_sub(bytes, kRelaxed);
  account(device, tag).current.fetch_sub(bytes, kRelaxed);
  tallies::add_holding(owner, -bytes, -1);
}

void resize(int device, Tag tag, Owner owner, int64_t from, int64_t to) noexcept {
  if (tag != Tag::kForeign) book(device).sum.current.fetch_sub(from - to, kRelaxed);
  account(device, tag).current.fetch_sub(from - to, kRelaxed);
  tallies::add_holding(owner, to - from, 0);
}

void move(int device, int64_t bytes, Tag from, Owner from_owner, Tag to, Owner to_owner) noexcept {
  if (from != to) {
    account(device, from).current.fetch_sub(bytes, kRelaxed);
    account(device, to).add(bytes);
  }
  tallies::add_holding(from_owner, -bytes, -1);
  tallies::add_holding(to_owner, bytes, 1);
}

MemoryCounters tag_counters(int device, Tag tag) noexcept {
  const Account& a = account(device, tag);
  const tallies::Tally ever = tallies::allocations(device, tag);
  return {a.current.load(kRelaxed), a.peak.load(kRelaxed), ever.bytes, ever.count};
}

MemoryCounters device_counters(int device) noexcept {
  const Account& sum = book(device).sum;
  MemoryCounters counters{sum.current.load(kRelaxed), sum.peak.load(kRelaxed), 0, 0};
  for (int i = 0; i < kNumTags; ++i) {
    if (static_cast<Tag>(i) == Tag::kForeign) continue;
    const tallies::Tally ever = tallies::allocations(device, static_cast<Tag>(i));
    counters.total += ever.bytes;
    counters.count += ever.count;
  }
  return counters;
}

void reset_peak(int device) noexcept {
  book(device).sum.reset_peak();
  for (Account& tag : book(device).tags) tag.reset_peak();
}

void set_limit(int device, int64_t bytes) noexcept { book(device).limit.store(bytes, kRelaxed); }
int64_t limit(int device) noexcept { return book(device).limit.load(kRelaxed); }

std::string table(int device) {
  char line[160];
  std::snprintf(line, sizeof line, "%-24s %16s %16s %12s\n", "memory by tag (bytes)", "current",
                "peak", "count");
  std::string out = line;
  const auto row = [&](std::string_view name, const MemoryCounters& c) {
    std::snprintf(line, sizeof line, "  %-22.*s %16lld %16lld %12lld\n",
                  static_cast<int>(name.size()), name.data(), static_cast<long long>(c.current),
                  static_cast<long long>(c.peak), static_cast<long long>(c.count));
    out += line;
  };
  for (int i = 0; i < kNumTags; ++i) {
    const MemoryCounters counters = tag_counters(device, static_cast<Tag>(i));
    if (counters.count > 0 || counters.peak > 0) row(tag_name(static_cast<Tag>(i)), counters);
  }
  row("all", device_counters(device));
  const std::vector<Holding> top = top_owners(5);
  if (!top.empty()) out += "top holders\n";
  for (const Holding& holding : top) {
    std::snprintf(line, sizeof line, "  %-22.22s %16lld bytes in %lld\n", holding.owner.c_str(),
                  static_cast<long long>(holding.bytes), static_cast<long long>(holding.count));
    out += line;
  }
  return out;
}

}  // namespace ledger
}  // namespace penstock
