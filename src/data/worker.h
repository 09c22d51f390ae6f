// Worker: a thread of a pipeline.
#pragma once

#include <cstdint>
#include <functional>
#include <thread>

namespace penstock::data {

// Runs `body` on a new thread; the destructor waits for its end. In a child process after fork()
// there are no such threads: see is_lost().
class Worker {
 public:
  explicit Worker(std::function<void()> body);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  // Whether the thread was left behind by a fork.
  bool is_lost() const;

 private:
  const uint64_t process_;
  std::thread* thread_;  // a pointer: one that is lost cannot be destroyed
};

// Throws FailedPreconditionError: threads of a pipeline do not survive a fork.
[[noreturn]] void fail_forked();

}  // namespace penstock::data
