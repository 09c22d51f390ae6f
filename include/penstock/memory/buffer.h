// Buffer: reference-counted bytes with their ledger entry. One allocation holds the header and, 64
// bytes on, the data. Borrowed data lives elsewhere and is returned by a callback.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <penstock/base/export.h>
#include <penstock/core/device.h>
#include <penstock/ledger/ledger.h>

namespace penstock {

inline constexpr size_t kAlignment = 64;  // of every allocation

struct alignas(kAlignment) Buffer {
  std::atomic<uint32_t> references{1};
  uint8_t device = 0;
  Tag tag = Tag::kActivation;
  ledger::Owner owner = 0;
  bool holds_strings = false;            // the data are StringRefs, released with the buffer
  bool read_only = false;                // never written in place (borrowed as read-only)
  std::atomic<bool> is_followed{false};  // its end is reported to the follower (below)
  uint16_t recording = 0;  // the recording with this buffer (recording.h), and its index there
  int32_t record = -1;
  void* data = nullptr;
  int64_t bytes = 0;                   // the size requested, as in the ledger
  size_t block_bytes = 0;              // of the allocator's block
  void (*give_back)(void*) = nullptr;  // borrowed data only
  void* give_back_context = nullptr;
};

struct AllocationRequest {
  int64_t bytes;
  Device device;
  Tag tag = Tag::kActivation;
  ledger::Owner owner = 0;
};

// A new buffer with one reference and uninitialised contents. Throws ResourceExhaustedError.
PEN_API Buffer* allocate_buffer(const AllocationRequest& request);
// A buffer over foreign memory, counted under Tag::kForeign. `give_back(context)` is called exactly
// once, even if this throws.
PEN_API Buffer* borrow_buffer(void* data, int64_t bytes, void (*give_back)(void*), void* context,
                              bool read_only);
// Frees the tail: the buffer then counts `bytes`. Pre: one reference; bytes <= buffer.bytes.
PEN_API void shrink_buffer(Buffer& buffer, int64_t bytes) noexcept;
// Books the buffer's bytes under another tag and owner.
PEN_API void retag_buffer(Buffer& buffer, Tag tag, ledger::Owner owner) noexcept;
// Called when a followed buffer is destroyed; set once. It may destroy other buffers.
using BufferFollower = void (*)(const Buffer*) noexcept;
PEN_API void set_buffer_follower(BufferFollower follower) noexcept;
// Destroys a buffer without references.
PEN_API void destroy_buffer(Buffer* buffer) noexcept;

// An owning pointer to a Buffer; may be null.
class BufferRef {
 public:
  BufferRef() = default;
  // Takes over the caller's reference.
  explicit BufferRef(Buffer* adopted) : buffer_(adopted) {}
  BufferRef(const BufferRef& other) : buffer_(other.buffer_) {
    if (buffer_ != nullptr) buffer_->references.fetch_add(1, std::memory_order_relaxed);
  }
  BufferRef(BufferRef&& other) noexcept : buffer_(std::exchange(other.buffer_, nullptr)) {}
  BufferRef& operator=(BufferRef other) noexcept {
    std::swap(buffer_, other.buffer_);
    return *this;
  }
  ~BufferRef() {
    if (buffer_ == nullptr) return;
    // A sole reference needs no atomic subtraction: nobody else can be adding one.
    if (buffer_->references.load(std::memory_order_acquire) == 1 ||
        buffer_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      destroy_buffer(buffer_);
    }
  }

  Buffer* get() const { return buffer_; }
  Buffer* operator->() const { return buffer_; }
  explicit operator bool() const { return buffer_ != nullptr; }
  bool is_unique() const {
    return buffer_ != nullptr && buffer_->references.load(std::memory_order_acquire) == 1;
  }

 private:
  Buffer* buffer_ = nullptr;
};

}  // namespace penstock
