#include "exec/trace/source_line.h"

#include <atomic>

namespace penstock {
namespace exec {
namespace {

std::atomic<SourceLineFn> g_locate{nullptr};

}  // namespace

std::optional<SourceLine> current_line() {
  const SourceLineFn locate = g_locate.load(std::memory_order_relaxed);
  if (locate == nullptr) return std::nullopt;
  return locate();
}

}  // namespace exec

void set_locator(SourceLineFn locate) { exec::g_locate.store(locate, std::memory_order_relaxed); }

}  // namespace penstock
