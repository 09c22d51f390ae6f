#include "data/worker.h"

#include <pthread.h>

#include <atomic>
#include <memory>
#include <system_error>
#include <utility>

#include <penstock/base/error.h>

#include "data/worker_thread.h"

namespace penstock::data {
namespace {

std::atomic<uint64_t> g_process{0};  // the number of forks on the way to this process

uint64_t this_process() {
  static const int at_fork =
      pthread_atfork(nullptr, nullptr, [] { g_process.fetch_add(1, std::memory_order_relaxed); });
  static_cast<void>(at_fork);
  return g_process.load(std::memory_order_relaxed);
}

thread_local bool t_is_worker = false;

}  // namespace

bool is_worker_thread() { return t_is_worker; }

Worker::Worker(std::function<void()> body) : process_(this_process()) {
  try {
    thread_ = new std::thread([body = std::move(body)] {
      t_is_worker = true;
      body();
    });
  } catch (const std::system_error&) {
    throw ResourceExhaustedError("a pipeline cannot start a thread: the system allows no more");
  }
}

Worker::~Worker() {
  if (is_lost()) return;
  thread_->join();
  delete thread_;
}

bool Worker::is_lost() const { return process_ != this_process(); }

void fail_forked() {
  throw FailedPreconditionError(
      "the threads of this iterator belong to the parent process: make a new iterator after fork");
}

}  // namespace penstock::data
