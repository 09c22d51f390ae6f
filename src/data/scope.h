// Scope: what the iterators of one pipeline have in common: whether they are to stop.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

#include "exec/interrupts.h"

namespace penstock::data {

// A request to stop, for a part of a pipeline and all below it.
class Cancellation {
 public:
  explicit Cancellation(std::shared_ptr<const Cancellation> parent = nullptr)
      : parent_(std::move(parent)) {}
  void cancel() { is_cancelled_.store(true, std::memory_order_relaxed); }
  bool is_cancelled() const {
    return is_cancelled_.load(std::memory_order_relaxed) ||
           (parent_ != nullptr && parent_->is_cancelled());
  }

 private:
  std::atomic<bool> is_cancelled_{false};
  const std::shared_ptr<const Cancellation> parent_;
};

// A copy belongs to each iterator; threads have copies of their own.
class Scope {
 public:
  explicit Scope(std::shared_ptr<const Cancellation> cancellation)
      : cancellation_(std::move(cancellation)) {}
  // The scope of a part that can be cancelled by itself.
  Scope below(std::shared_ptr<Cancellation>* cancellation) const;

  // For loops that may be long: throws CancelledError when the pipeline is to stop, or what the
  // host's interrupt handler throws.
  void step() {
    if (cancellation_->is_cancelled()) fail_cancelled();
    interrupts_.step();
  }
  // Waits until `is_done()`. Throws as step() does.
  template <typename Done>
  void wait(std::unique_lock<std::mutex>& lock, std::condition_variable& changed, Done is_done);

 private:
  [[noreturn]] static void fail_cancelled();
  // Waits a little.
  void wait_once(std::unique_lock<std::mutex>& lock, std::condition_variable& changed);

  std::shared_ptr<const Cancellation> cancellation_;
  exec::Interrupts interrupts_;
};

template <typename Done>
void Scope::wait(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                 Done is_done) {
  while (!is_done()) wait_once(lock, changed);
}

}  // namespace penstock::data
