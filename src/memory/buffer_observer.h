// BufferObserver: notified of every buffer, if set (by a recording). A table of functions, because
// memory does not know its observers.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include <penstock/core/dtype.h>
#include <penstock/core/shape.h>
#include <penstock/memory/buffer.h>

namespace penstock::memory {

struct BufferObserver {
  void (*allocated)(Buffer& buffer) noexcept;
  // Called before the ledger is updated.
  void (*releasing)(const Buffer& buffer) noexcept;
  void (*resizing)(Buffer& buffer, int64_t bytes) noexcept;
  void (*retagging)(Buffer& buffer, Tag tag, ledger::Owner owner) noexcept;
  // Describes the contents of the buffer, if unknown when it was allocated.
  void (*describe)(const Buffer& buffer, DType dtype, const Shape& shape) noexcept;
  // A table of the lines that hold the most bytes now, for the text of an error.
  std::string (*holders)(size_t most);
};

extern std::atomic<const BufferObserver*> g_observer;
// Usually null.
inline const BufferObserver* observer() noexcept {
  const BufferObserver* found = g_observer.load(std::memory_order_relaxed);
  return __builtin_expect(found != nullptr, 0) ? found : nullptr;
}
// The observer must live as long as the process: a call may be in progress.
void set_observer(const BufferObserver* observer) noexcept;

}  // namespace penstock::memory
