// Counted<T>: a standard allocator whose memory is in the ledger, for containers that grow with the
// user's program (a tape's records).
#pragma once

#include <cstddef>

#include <penstock/memory/buffer.h>

namespace penstock {

template <typename T, Tag kTag = Tag::kTrace>
struct Counted {
  using value_type = T;
  template <typename U>
  struct rebind {
    using other = Counted<U, kTag>;
  };

  Counted() = default;
  template <typename U>
  Counted(const Counted<U, kTag>&) {}

  T* allocate(size_t count) {
    static_assert(alignof(T) <= kAlignment);
    return static_cast<T*>(
        allocate_buffer(
            {.bytes = static_cast<int64_t>(count * sizeof(T)), .device = {}, .tag = kTag})
            ->data);
  }
  void deallocate(T* data, size_t) noexcept { destroy_buffer(reinterpret_cast<Buffer*>(data) - 1); }
  bool operator==(const Counted&) const = default;
};

}  // namespace penstock
