#include <penstock/memory/buffer.h>

#include <cstring>
#include <new>
#include <string>

#include <penstock/base/check.h>
#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/memory/reservation.h>
#include <penstock/memory/strings.h>

#include "memory/blocks.h"
#include "memory/budget.h"
#include "memory/buffer_observer.h"
#include "memory/faults.h"

namespace penstock {
namespace {

// Debug builds write a guard behind the data and check it when the buffer ends.
#if defined(NDEBUG)
constexpr size_t kCanaryBytes = 0;
#else
constexpr size_t kCanaryBytes = 64;
#endif
constexpr unsigned char kCanary = 0xA5;

std::atomic<BufferFollower> g_follower{nullptr};

void set_canary(const Buffer& buffer) {
  if constexpr (kCanaryBytes > 0) {
    std::memset(static_cast<char*>(buffer.data) + buffer.bytes, kCanary, kCanaryBytes);
  }
}

void check_canary(const Buffer& buffer) {
  const unsigned char* tail = static_cast<unsigned char*>(buffer.data) + buffer.bytes;
  for (size_t i = 0; i < kCanaryBytes; ++i) PEN_CHECK(tail[i] == kCanary);
}

[[noreturn, gnu::noinline]] void fail(const AllocationRequest& request, std::string_view why,
                                      std::string_view who = {}) {
  std::string text;
  const memory::BufferObserver* observer = memory::observer();
  try {
    if (request.owner != 0) text = cat("[", ledger::owner_name(request.owner), "] ");
    if (!who.empty()) text = cat("[", who, "] ");
    text += request.bytes > 0 ? cat("cannot allocate ", request.bytes, " bytes (")
                              : std::string("cannot make a tensor without elements (");
    text +=
        cat(tag_name(request.tag), ") on ", request.device, ": ", why, "\n",
            ledger::table(request.device.index), observer ? observer->holders(5) : std::string());
  } catch (const std::bad_alloc&) {
    text = "cannot allocate: no memory is left, not even for a longer message";
  }
  throw ResourceExhaustedError(text);
}

[[noreturn, gnu::noinline]] void fail_budget(const AllocationRequest& request,
                                             std::string_view who = {}) {
  const int device = request.device.index;
  std::string why;
  try {
    why = cat("the budget is ", ledger::limit(device), " bytes and ",
              ledger::device_counters(device).current, " are in use");
  } catch (const std::bad_alloc&) {
  }
  fail(request, why, who);
}

[[gnu::noinline]] memory::Block retry_after_trim(const AllocationRequest& request, size_t bytes) {
  memory::trim_small();
  memory::trim_pages();
  const memory::Block block = memory::allocate_block(bytes);
  if (block.data == nullptr) fail(request, "the system has no memory left");
  return block;
}

}  // namespace

Buffer* allocate_buffer(const AllocationRequest& request) {
  memory::apply_default_budget();
  if (memory::should_fail(request.tag)) fail(request, "an injected fault");
  // The block comes first, so that the ledger never counts bytes that the system refused. The check
  // before it makes the budget limit address space as well.
  if (!ledger::fits(request.device.index, request.tag, request.bytes)) fail_budget(request);
  const size_t bytes = sizeof(Buffer) + static_cast<size_t>(request.bytes) + kCanaryBytes;
  memory::Block block = memory::allocate_block(bytes);
  if (block.data == nullptr) block = retry_after_trim(request, bytes);
  if (!ledger::allocate(request.device.index, request.tag, request.owner, request.bytes)) {
    memory::free_block(block);  // another thread used the rest of the budget
    fail_budget(request);
  }
  Buffer* buffer = new (block.data) Buffer;
  buffer->device = request.device.index;
  buffer->tag = request.tag;
  buffer->owner = request.owner;
  buffer->data = buffer + 1;
  buffer->bytes = request.bytes;
  buffer->block_bytes = block.bytes;
  set_canary(*buffer);
  if (const auto* observer = memory::observer()) observer->allocated(*buffer);
  return buffer;
}

Buffer* borrow_buffer(void* data, int64_t bytes, void (*give_back)(void*), void* context,
                      bool read_only) {
  const memory::Block block =
      memory::should_fail(Tag::kForeign) ? memory::Block{} : memory::allocate_block(sizeof(Buffer));
  if (block.data == nullptr) {
    if (give_back != nullptr) give_back(context);
    throw ResourceExhaustedError("cannot borrow memory: none is left for the buffer's header");
  }
  if (!ledger::allocate(0, Tag::kForeign, 0, bytes))
    PEN_CHECK(false);  // foreign bytes have no limit
  Buffer* buffer = new (block.data) Buffer;
  buffer->tag = Tag::kForeign;
  buffer->read_only = read_only;
  buffer->data = data;
  buffer->bytes = bytes;
  buffer->block_bytes = block.bytes;
  buffer->give_back = give_back;
  buffer->give_back_context = context;
  if (const auto* observer = memory::observer()) observer->allocated(*buffer);
  return buffer;
}

void shrink_buffer(Buffer& buffer, int64_t bytes) noexcept {
  check_canary(buffer);
  if (const auto* observer = memory::observer()) observer->resizing(buffer, bytes);
  ledger::resize(buffer.device, buffer.tag, buffer.owner, buffer.bytes, bytes);
  buffer.bytes = bytes;
  buffer.block_bytes = memory::shrink_block(
      {&buffer, buffer.block_bytes}, sizeof(Buffer) + static_cast<size_t>(bytes) + kCanaryBytes);
  set_canary(buffer);
}

void retag_buffer(Buffer& buffer, Tag tag, ledger::Owner owner) noexcept {
  if (buffer.tag == Tag::kForeign) return;
  if (const auto* observer = memory::observer()) observer->retagging(buffer, tag, owner);
  ledger::move(buffer.device, buffer.bytes, buffer.tag, buffer.owner, tag, owner);
  buffer.tag = tag;
  buffer.owner = owner;
}

void set_buffer_follower(BufferFollower follower) noexcept {
  g_follower.store(follower, std::memory_order_release);
}

void destroy_buffer(Buffer* buffer) noexcept {
  if (__builtin_expect(buffer->is_followed.load(std::memory_order_relaxed), 0))
    g_follower.load(std::memory_order_acquire)(buffer);
  if (buffer->holds_strings) {
    release_strings({static_cast<StringRef*>(buffer->data),
                     static_cast<size_t>(buffer->bytes) / sizeof(StringRef)});
  }
  const bool is_borrowed = buffer->tag == Tag::kForeign;
  if (!is_borrowed) check_canary(*buffer);
  if (const auto* observer = memory::observer()) observer->releasing(*buffer);
  ledger::release(buffer->device, buffer->tag, buffer->owner, buffer->bytes);
  if (is_borrowed && buffer->give_back != nullptr) buffer->give_back(buffer->give_back_context);
  memory::free_block({buffer, buffer->block_bytes});
}

Reservation::Reservation(int64_t bytes, std::string_view who) {
  memory::apply_default_budget();
  const AllocationRequest request{.bytes = bytes, .device = {}, .tag = Tag::kHost};
  if (memory::should_fail(request.tag)) fail(request, "an injected fault", who);
  if (!ledger::allocate(0, request.tag, 0, bytes)) fail_budget(request, who);
  buffer_.tag = request.tag;
  buffer_.bytes = bytes;
  if (const auto* observer = memory::observer()) observer->allocated(buffer_);
}

Reservation::~Reservation() {
  if (const auto* observer = memory::observer()) observer->releasing(buffer_);
  ledger::release(0, buffer_.tag, 0, buffer_.bytes);
}

}  // namespace penstock
