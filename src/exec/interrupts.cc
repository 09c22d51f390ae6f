#include "exec/interrupts.h"

#include <algorithm>
#include <atomic>
#include <chrono>

#include <penstock/base/error.h>
#include <penstock/exec/control.h>
#include <penstock/exec/interrupts.h>

namespace penstock {
namespace exec {
namespace {

std::atomic<InterruptFn> g_ask{nullptr};
std::atomic<IsInterruptFn> g_test{nullptr};

// The interval between checks.
constexpr int64_t kInterval = 50'000'000;

}  // namespace

void Interrupts::ask() {
  const int64_t now = std::chrono::steady_clock::now().time_since_epoch().count();
  const int64_t passed = now - last_ns_;
  if (last_ns_ != 0 && passed < kInterval) {
    interval_ *= 2;
  } else {
    interval_ = std::max<int64_t>(interval_ / 2, 1);
    const InterruptFn handler = g_ask.load(std::memory_order_relaxed);
    if (last_ns_ != 0 && handler != nullptr) handler();
    last_ns_ = now;
  }
  left_ = interval_;
}

}  // namespace exec

void set_interrupt_check(InterruptFn check) { exec::g_ask.store(check, std::memory_order_relaxed); }
void set_interrupt_test(IsInterruptFn test) { exec::g_test.store(test, std::memory_order_relaxed); }

bool is_interrupt(const std::exception& error) {
  if (const auto* own = dynamic_cast<const Error*>(&error))
    return own->code() == ErrorCode::kCancelled;
  const IsInterruptFn test = exec::g_test.load(std::memory_order_relaxed);
  return test != nullptr && test(error);
}

}  // namespace penstock
