#include <penstock/ledger/ledger.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>

namespace penstock {

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

struct alignas(64) Account {
  std::atomic<int64_t> current{0};
  std::atomic<int64_t> peak{0};
  std::atomic<int64_t> total{0};
  std::atomic<int64_t> count{0};

  void add(int64_t bytes) noexcept { raise_to(peak, current.fetch_add(bytes, kRelaxed) + bytes); }
  void add_new(int64_t bytes) noexcept {
    add(bytes);
    total.fetch_add(bytes, kRelaxed);
    count.fetch_add(1, kRelaxed);
  }
  // As add, but never past the limit.
  bool add_within(int64_t bytes, int64_t limit) noexcept {
    int64_t seen = current.load(kRelaxed);
    do {
      if (bytes > limit - seen) return false;
    } while (!current.compare_exchange_weak(seen, seen + bytes, kRelaxed));
    raise_to(peak, seen + bytes);
    return true;
  }
  MemoryCounters read() const noexcept {
    return {current.load(kRelaxed), peak.load(kRelaxed), total.load(kRelaxed),
            count.load(kRelaxed)};
  }
};

struct DeviceBook {
  Account sum;  // its total and count are the tags' together
  std::atomic<int64_t> limit{kNoLimit};
  std::array<Account, kNumTags> tags;
};

struct OwnerBook {
  std::atomic<int64_t> current{0};
  std::atomic<int64_t> live{0};
};

constexpr size_t kNameBytes = 64;

// All of it is static and zero at load: nothing here is ever allocated or destroyed.
constinit std::array<DeviceBook, kMaxDevices> g_devices;
constinit std::array<OwnerBook, kMaxOwners> g_owners;
constinit std::mutex g_names_lock;
char g_names[kMaxOwners][kNameBytes] = {"unnamed"};
bool g_retired[kMaxOwners] = {};  // named once, free to be named again when its bytes are gone
int g_num_owners = 1;

DeviceBook& book(int device) noexcept { return g_devices[static_cast<size_t>(device)]; }
Account& account(int device, Tag tag) noexcept {
  return book(device).tags[static_cast<size_t>(tag)];
}

}  // namespace

Owner add_owner(std::string_view name) noexcept {
  const std::lock_guard lock(g_names_lock);
  int place = 0;
  if (g_num_owners < kMaxOwners) {
    place = g_num_owners++;
  } else {
    for (int i = 1; i < kMaxOwners && place == 0; ++i) {
      if (g_retired[i] && g_owners[static_cast<size_t>(i)].live.load(kRelaxed) == 0) place = i;
    }
    if (place == 0) return 0;
  }
  g_retired[place] = false;
  const size_t length = std::min(name.size(), kNameBytes - 1);
  std::memcpy(g_names[place], name.data(), length);
  g_names[place][length] = '\0';
  return static_cast<Owner>(place);
}

void remove_owner(Owner owner) noexcept {
  if (owner == 0) return;
  const std::lock_guard lock(g_names_lock);
  g_retired[owner] = true;
}

bool allocate(int device, Tag tag, Owner owner, int64_t bytes) noexcept {
  DeviceBook& d = book(device);
  if (tag != Tag::kForeign && !d.sum.add_within(bytes, d.limit.load(kRelaxed))) return false;
  account(device, tag).add_new(bytes);
  g_owners[owner].current.fetch_add(bytes, kRelaxed);
  g_owners[owner].live.fetch_add(1, kRelaxed);
  return true;
}

void release(int device, Tag tag, Owner owner, int64_t bytes) noexcept {
  if (tag != Tag::kForeign) book(device).sum.current.fetch_sub(bytes, kRelaxed);
  account(device, tag).current.fetch_sub(bytes, kRelaxed);
  g_owners[owner].current.fetch_sub(bytes, kRelaxed);
  g_owners[owner].live.fetch_sub(1, kRelaxed);
}

void resize(int device, Tag tag, Owner owner, int64_t from, int64_t to) noexcept {
  if (tag != Tag::kForeign) book(device).sum.current.fetch_sub(from - to, kRelaxed);
  account(device, tag).current.fetch_sub(from - to, kRelaxed);
  g_owners[owner].current.fetch_sub(from - to, kRelaxed);
}

void move(int device, int64_t bytes, Tag from, Owner from_owner, Tag to, Owner to_owner) noexcept {
  if (from != to) {
    account(device, from).current.fetch_sub(bytes, kRelaxed);
    account(device, to).add(bytes);
  }
  g_owners[from_owner].current.fetch_sub(bytes, kRelaxed);
  g_owners[from_owner].live.fetch_sub(1, kRelaxed);
  g_owners[to_owner].current.fetch_add(bytes, kRelaxed);
  g_owners[to_owner].live.fetch_add(1, kRelaxed);
}

MemoryCounters device_counters(int device) noexcept {
  MemoryCounters counters = book(device).sum.read();
  for (const Account& tag : book(device).tags) {
    if (&tag == &account(device, Tag::kForeign)) continue;
    counters.total += tag.total.load(kRelaxed);
    counters.count += tag.count.load(kRelaxed);
  }
  return counters;
}

MemoryCounters tag_counters(int device, Tag tag) noexcept { return account(device, tag).read(); }

void reset_peak(int device) noexcept {
  const auto reset = [](Account& a) { a.peak.store(a.current.load(kRelaxed), kRelaxed); };
  reset(book(device).sum);
  for (Account& tag : book(device).tags) reset(tag);
}

void set_limit(int device, int64_t bytes) noexcept { book(device).limit.store(bytes, kRelaxed); }
int64_t limit(int device) noexcept { return book(device).limit.load(kRelaxed); }

std::vector<Holding> top_owners(size_t most) {
  std::vector<Holding> all;
  const std::lock_guard lock(g_names_lock);
  for (int i = 0; i < g_num_owners; ++i) {
    const OwnerBook& owner = g_owners[static_cast<size_t>(i)];
    const int64_t bytes = owner.current.load(kRelaxed);
    if (bytes > 0) all.push_back({g_names[i], bytes, owner.live.load(kRelaxed)});
  }
  std::sort(all.begin(), all.end(),
            [](const Holding& a, const Holding& b) { return a.bytes > b.bytes; });
  if (all.size() > most) all.resize(most);
  return all;
}

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
