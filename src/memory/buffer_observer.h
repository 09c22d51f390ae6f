// BufferObserver: who is told of every buffer, while anybody wants to be (a recording). A table of
// functions: memory does not know who they belong to.
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
  // These come before the ledger is told.
  void (*releasing)(const Buffer& buffer) noexcept;
  void (*resizing)(Buffer& buffer, int64_t bytes) noexcept;
  void (*retagging)(Buffer& buffer, Tag tag, ledger::Owner owner) noexcept;
  // What lies in the buffer, where that was not known when it was allocated.
  void (*describe)(const Buffer& buffer, DType dtype, const Shape& shape) noexcept;
  // A table of the lines that hold the most bytes now, for the text of an error.
  std::string (*holders)(size_t most);
};

extern std::atomic<const BufferObserver*> g_observer;
// Null for nobody, which is what is expected.
inline const BufferObserver* observer() noexcept {
  const BufferObserver* found = g_observer.load(std::memory_order_relaxed);
  return __builtin_expect(found != nullptr, 0) ? found : nullptr;
}
// The observer stays where it is for as long as the process lasts: a call may be on its way.
void set_observer(const BufferObserver* observer) noexcept;

}  // namespace penstock::memory
