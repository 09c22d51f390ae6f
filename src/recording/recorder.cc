#include "recording/recorder.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>

namespace penstock::recording {
namespace {

int64_t clock_ns(clockid_t clock) noexcept {
  timespec time{};
  clock_gettime(clock, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

uint64_t hash_of(std::string_view text) noexcept { return std::hash<std::string_view>()(text); }

}  // namespace

Recorder& recorder() noexcept {
  static Recorder one;
  return one;
}

int64_t Recorder::now() const noexcept {
  return clock_ns(CLOCK_MONOTONIC) - file.header().monotonic;
}

int Recorder::begin(const char* path) noexcept {
  if (const int problem = file.open(path); problem != 0) return problem;
  if (++number == 0) ++number;
  std::fill(std::begin(owners_), std::end(owners_), OwnerName{});
  std::fill(std::begin(shapes_), std::end(shapes_), KnownShape{});
  Header& header = file.header();
  header.pid = getpid();
  header.began = clock_ns(CLOCK_REALTIME);
  header.monotonic = clock_ns(CLOCK_MONOTONIC);
  add_first_names();
  add_before();
  return 0;
}

void Recorder::end() noexcept {
  names_.clear();
  sites_.clear();
  plans_.clear();
  file.close();
}

void Recorder::add_first_names() noexcept {
  file.header().num_dtypes = kNumDTypes;
  file.header().num_tags = kNumTags;
  const char* kept = nullptr;
  for (int i = 0; i < kNumDTypes; ++i) file.add_name(dtype_name(static_cast<DType>(i)), &kept);
  for (int i = 0; i < kNumTags; ++i) file.add_name(tag_name(static_cast<Tag>(i)), &kept);
}

// The bytes held already: there is no list of buffers, but the ledger has the totals.
void Recorder::add_before() noexcept {
  const auto add = [&](int32_t owner, Tag tag, int64_t bytes, int64_t count) {
    int32_t place = -1;
    BeforeRecord* record = file.add<BeforeRecord>(Kind::kBefore, &place);
    if (record != nullptr) *record = {owner, static_cast<int32_t>(tag), bytes, count, 0};
  };
  int64_t of_variables = 0;
  for (int i = 1; i < ledger::kMaxOwners; ++i) {
    const auto owner = static_cast<ledger::Owner>(i);
    const ledger::Held held = ledger::held_by(owner);
    // An owner that holds bytes keeps its name; the slots of others may be reused.
    if (held.bytes <= 0 || ledger::owner_info(owner).kind != ledger::OwnerKind::kVariable) continue;
    add(name_of(ledger::owner_info(owner).name), Tag::kVariable, held.bytes, held.count);
    of_variables += held.bytes;
  }
  for (int i = 0; i < kNumTags; ++i) {
    const Tag tag = static_cast<Tag>(i);
    int64_t bytes = 0;
    for (int device = 0; device < ledger::kMaxDevices; ++device)
      bytes += ledger::tag_counters(device, tag).current;
    if (tag == Tag::kVariable) bytes -= of_variables;
    if (bytes > 0) add(-1, tag, bytes, 0);
  }
}

int32_t Recorder::name_of(std::string_view text) noexcept {
  text = text.substr(0, 64 << 10);
  const uint64_t hash = hash_of(text);
  const int32_t known = names_.find(hash, [&](int32_t, const char* kept) {
    uint32_t length;
    std::memcpy(&length, kept - sizeof length, sizeof length);
    return std::string_view(kept, length) == text;
  });
  if (known >= 0) return known;
  const char* kept = nullptr;
  const int32_t place = file.add_name(text, &kept);
  if (place >= 0) names_.add(hash, place, kept);
  return place;
}

std::string_view Recorder::text_of(int32_t name) const noexcept {
  const char* kept = names_.pointer_of(name);
  if (kept == nullptr) return "?";
  uint32_t length;
  std::memcpy(&length, kept - sizeof length, sizeof length);
  return {kept, length};
}

int32_t Recorder::shape_of(const Shape& shape) noexcept {
  uint64_t hash = static_cast<uint64_t>(shape.rank());
  for (int64_t dim : shape.dims()) hash = mixed(hash, static_cast<uint64_t>(dim));
  KnownShape& known = shapes_[hash % std::size(shapes_)];
  if (known.name >= 0 && known.shape == shape) return known.name;
  char text[16 + 22 * kMaxRank] = "(";
  size_t at = 1;
  for (int64_t dim : shape.dims()) {
    at += static_cast<size_t>(std::snprintf(
        text + at, sizeof text - at, at == 1 ? "%lld" : ", %lld", static_cast<long long>(dim)));
  }
  std::snprintf(text + at, sizeof text - at, shape.rank() == 1 ? ",)" : ")");
  known.shape = shape;
  return known.name = name_of(text);
}

Site Recorder::site_of(std::string_view file_name, int line, std::string_view function) noexcept {
  const int32_t file_place = name_of(file_name);
  const int32_t function_place = name_of(function);
  const uint64_t hash = mixed(mixed(static_cast<uint64_t>(file_place), static_cast<uint64_t>(line)),
                              static_cast<uint64_t>(function_place));
  const Site known = sites_.find(hash, [&](Site place, const char*) {
    const SiteRecord& site = file.at<SiteRecord>(Kind::kSites, place);
    return site.file == file_place && site.line == line && site.function == function_place;
  });
  if (known >= 0) return known;
  Site place = kNoSite;
  SiteRecord* site = file.add<SiteRecord>(Kind::kSites, &place);
  if (site == nullptr) return kNoSite;
  site->file = file_place;
  site->function = function_place;
  site->line = line;
  sites_.add(hash, place);
  return place;
}

int32_t Recorder::plan_of(const CallScope::Plan& plan) noexcept {
  const int32_t name = name_of(plan.name);
  const int32_t file_place = plan.file.empty() ? -1 : name_of(plan.file);
  const uint64_t hash = mixed(mixed(static_cast<uint64_t>(name), static_cast<uint64_t>(plan.line)),
                              static_cast<uint64_t>(plan.planned_peak));
  const int32_t known = plans_.find(hash, [&](int32_t place, const char*) {
    const PlanRecord& record = file.at<PlanRecord>(Kind::kPlans, place);
    return record.name == name && record.file == file_place && record.line == plan.line &&
           record.planned_peak == plan.planned_peak;
  });
  if (known >= 0) return known;
  int32_t place = -1;
  PlanRecord* record = file.add<PlanRecord>(Kind::kPlans, &place);
  if (record == nullptr) return -1;
  record->name = name;
  record->file = file_place;
  record->line = plan.line;
  record->planned_peak = plan.planned_peak;
  plans_.add(hash, place);
  return place;
}

int32_t Recorder::name_of_owner(ledger::Owner owner, const ledger::OwnerInfo& info) noexcept {
  OwnerName& known = owners_[owner];
  if (known.serial != info.serial) known = {info.serial, name_of(info.name)};
  return known.name;
}

void Recorder::set_owner(BlockRecord& block, ledger::Owner owner) noexcept {
  if (owner == 0) return;
  const ledger::OwnerInfo info = ledger::owner_info(owner);
  const int32_t name = name_of_owner(owner, info);
  (info.kind == ledger::OwnerKind::kOp ? block.op : block.owner) = name;
}

bool Recorder::add_block(Buffer& buffer, Site site, int64_t start) noexcept {
  int32_t place = -1;
  BlockRecord* block = file.add<BlockRecord>(Kind::kBlocks, &place);
  buffer.recording = number;
  buffer.record = place;
  Header& header = file.header();
  ++header.num_events;
  if (block == nullptr) {
    ++header.num_dropped;
    return false;
  }
  if (site >= header.counts[static_cast<size_t>(Kind::kSites)]) site = kNoSite;  // of another one
  block->start = start;
  block->end = -1;
  block->bytes = buffer.bytes;
  block->site = site;
  block->op = block->owner = block->shape = -1;
  block->tag = static_cast<uint8_t>(buffer.tag);
  block->device = buffer.device;
  set_owner(*block, buffer.owner);
  if (site >= 0) {
    SiteRecord& at = file.at<SiteRecord>(Kind::kSites, site);
    at.live_bytes += buffer.bytes;
    at.peak_bytes = std::max(at.peak_bytes, at.live_bytes);
    ++at.live_count;
    at.total_bytes += buffer.bytes;
    ++at.total_count;
  }
  return true;
}

void Recorder::end_block(int32_t record, int64_t time) noexcept {
  ++file.header().num_events;
  if (record < 0) return;
  BlockRecord& ended = block(record);
  ended.end = time;
  // A truncated file has zeros where sites were.
  if (ended.site >= 0 && ended.site < file.header().counts[static_cast<size_t>(Kind::kSites)]) {
    SiteRecord& at = file.at<SiteRecord>(Kind::kSites, ended.site);
    at.live_bytes -= ended.bytes;
    --at.live_count;
  }
}

int64_t Recorder::table_bytes() const noexcept {
  return static_cast<int64_t>(names_.bytes() + sites_.bytes() + plans_.bytes());
}

}  // namespace penstock::recording
