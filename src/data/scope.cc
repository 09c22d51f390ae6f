#include "data/scope.h"

#include <chrono>

#include <penstock/base/error.h>

namespace penstock::data {

// How often a waiting thread looks for an interrupt of the user.
constexpr std::chrono::milliseconds kPatience(50);

Scope Scope::below(std::shared_ptr<Cancellation>* cancellation) const {
  *cancellation = std::make_shared<Cancellation>(cancellation_);
  return Scope(*cancellation);
}

void Scope::fail_cancelled() { throw CancelledError("the iterator was dropped"); }

void Scope::wait_once(std::unique_lock<std::mutex>& lock, std::condition_variable& changed) {
  if (changed.wait_for(lock, kPatience) == std::cv_status::no_timeout) {
    if (cancellation_->is_cancelled()) fail_cancelled();
    return;
  }
  lock.unlock();  // the host's handler may take its time
  try {
    step();
  } catch (...) {
    lock.lock();
    throw;
  }
  lock.lock();
}

}  // namespace penstock::data
