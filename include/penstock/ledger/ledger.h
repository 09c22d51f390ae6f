// The ledger: every byte that penstock holds, by device, tag and owner. Always on, exact.
//
//   tag    what the bytes are for (a variable, an activation, …)
//   owner  who requested them: an op or a variable, by name
//   bytes  the bytes requested; rounding and headers are the allocator's slack, shown by
//          memory::stats()
//
// Posting is lock-free. A device's `current` never exceeds its limit, not even for a moment, and
// its `peak` is the largest value that `current` really had.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <penstock/base/export.h>

namespace penstock {

enum class Tag : uint8_t {
  kActivation,  // results of ops
  kVariable,
  kConstant,
  kGradient,
  kWorkspace,  // scratch of kernels
  kOutput,
  kCache,
  kTrace,  // tapes and graphs
  kDataset,
  kHost,     // strings, host-side tables
  kForeign,  // borrowed memory: counted, not limited
};
inline constexpr int kNumTags = 11;
PEN_API std::string_view tag_name(Tag tag);

struct MemoryCounters {
  int64_t current = 0;  // bytes now
  int64_t peak = 0;     // the most since the start or reset_peak()
  int64_t total = 0;    // bytes of all allocations ever
  int64_t count = 0;    // number of allocations ever
};

namespace ledger {

// An owner's slot in the ledger. Owner 0 is "unnamed". There are kMaxOwners slots, each named once.
using Owner = uint16_t;
inline constexpr int kMaxOwners = 4096;
inline constexpr int kMaxDevices = 8;

enum class OwnerKind : uint8_t { kOp, kVariable, kFunction };

// Reserves a slot for `name`; returns owner 0 when all are in use.
PEN_API Owner add_owner(std::string_view name, OwnerKind kind = OwnerKind::kOp) noexcept;
PEN_API std::string owner_name(Owner owner);
// The same without a copy, for an owner that holds bytes meanwhile: its slot is not reused.
struct OwnerInfo {
  std::string_view name;
  OwnerKind kind;
  uint32_t serial;  // changes each time the slot is reused
};
PEN_API OwnerInfo owner_info(Owner owner) noexcept;
// The bytes and live allocations of an owner.
struct Held {
  int64_t bytes;
  int64_t count;
};
PEN_API Held held_by(Owner owner) noexcept;
// Frees the slot once the owner holds no bytes.
PEN_API void remove_owner(Owner owner) noexcept;

// Whether `bytes` could be booked now: a check before the memory itself is requested.
PEN_API bool fits(int device, Tag tag, int64_t bytes) noexcept;
// Books `bytes`. Returns false, and books nothing, if the device's limit would be exceeded. Foreign
// bytes are booked under their tag only and are not part of the device's sum.
[[nodiscard]] PEN_API bool allocate(int device, Tag tag, Owner owner, int64_t bytes) noexcept;
// Unbooks them. Pre: booked with the same device, tag and owner.
PEN_API void release(int device, Tag tag, Owner owner, int64_t bytes) noexcept;
// Changes a booked size to a smaller one.
PEN_API void resize(int device, Tag tag, Owner owner, int64_t from, int64_t to) noexcept;
// Moves booked bytes to another tag and owner (a result becomes a variable's value).
PEN_API void move(int device, int64_t bytes, Tag from, Owner from_owner, Tag to,
                  Owner to_owner) noexcept;

PEN_API MemoryCounters device_counters(int device) noexcept;
PEN_API MemoryCounters tag_counters(int device, Tag tag) noexcept;
// Resets the peaks to the current values.
PEN_API void reset_peak(int device) noexcept;

inline constexpr int64_t kNoLimit = INT64_MAX;
PEN_API void set_limit(int device, int64_t bytes) noexcept;
PEN_API int64_t limit(int device) noexcept;

struct Holding {
  std::string owner;
  OwnerKind kind;
  int64_t bytes;
  int64_t count;  // live allocations
};
// The owners with the most bytes on all devices, largest first.
PEN_API std::vector<Holding> top_owners(size_t most);
// A table of what a device holds: a row per tag, then the top owners. For people and for errors.
PEN_API std::string table(int device);

}  // namespace ledger

}  // namespace penstock
