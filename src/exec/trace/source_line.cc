#include "exec/trace/source_line.h"

#include <atomic>

namespace penstock {
namespace exec {
namespace {

std::atomic<LocateFn> g_locate{nullptr};

}  // namespace

std::optional<SourceLine> current_line() {
  const LocateFn locate = g_locate.load(std::memory_order_relaxed);
  if (locate == nullptr) return std::nullopt;
  return locate();
}

}  // namespace exec

void set_locator(LocateFn locate) { exec::g_locate.store(locate, std::memory_order_relaxed); }

}  // namespace penstock
