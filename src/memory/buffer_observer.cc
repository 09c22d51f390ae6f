#include "memory/buffer_observer.h"

namespace penstock::memory {

constinit std::atomic<const BufferObserver*> g_observer{nullptr};

void set_observer(const BufferObserver* observer) noexcept {
  g_observer.store(observer, std::memory_order_release);
}

}  // namespace penstock::memory
