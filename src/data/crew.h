// Crew: the threads of one iterator, and what they and its user wait on.
//
// fork() leaves the threads behind, perhaps in the middle of a change. Whoever owns what they work on
// holds it by an Abandoned pointer: the child never touches it again.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "data/scope.h"
#include "data/worker.h"

namespace penstock::data {

class Crew {
 public:
  explicit Crew(const Scope& scope) : below_(scope.below(&cancellation_)), scope_(scope) {}
  ~Crew() { stop(); }

  // The scope of whatever runs on the threads.
  const Scope& below() const { return below_; }
  bool is_cancelled() const { return cancellation_->is_cancelled(); }

  void start(size_t count, const std::function<void()>& body) {
    for (size_t i = 0; i < count; ++i) workers_.push_back(std::make_unique<Worker>(body));
  }
  bool is_working() const { return !workers_.empty(); }
  bool is_lost() const { return is_working() && workers_[0]->is_lost(); }
  // Waits until the threads have ended by themselves.
  void join() { workers_.clear(); }
  // Cancels what runs, and joins.
  void stop() {
    cancellation_->cancel();
    {
      const std::lock_guard lock(mutex_);
    }
    work_.notify_all();
    workers_.clear();
  }

  std::mutex& mutex() { return mutex_; }
  using Lock = std::unique_lock<std::mutex>;

  // For the user of the iterator. Throws when the pipeline is to stop.
  template <typename Done>
  void wait_for_result(Lock& lock, Done is_done) {
    struct Waiting {
      explicit Waiting(bool* a_flag) : flag(a_flag) { *flag = true; }
      ~Waiting() { *flag = false; }
      bool* flag;
    } const waiting(&user_waits_);
    scope_.wait(lock, result_, is_done);
  }
  // For a thread: returns when there is work, or when it is cancelled.
  template <typename Done>
  void wait_for_work(Lock& lock, Done is_work) {
    ++idle_;
    work_.wait(lock, [&] { return is_cancelled() || is_work(); });
    --idle_;
  }
  // These need the mutex, and wake only who waits.
  void wake_user() {
    if (user_waits_) result_.notify_one();
  }
  void wake_worker() {
    if (idle_ > 0) work_.notify_one();
  }
  void wake_workers() {
    if (idle_ > 0) work_.notify_all();
  }

 private:
  std::shared_ptr<Cancellation> cancellation_;
  Scope below_, scope_;
  std::mutex mutex_;
  std::condition_variable result_, work_;
  size_t idle_ = 0;  // threads that wait
  bool user_waits_ = false;
  std::vector<std::unique_ptr<Worker>> workers_;
};

// Owns a T that has is_lost(); gives it up when its threads are lost.
template <typename T>
class Abandoned {
 public:
  explicit Abandoned(std::unique_ptr<T> part) : part_(std::move(part)) {}
  ~Abandoned() {
    if (part_->is_lost()) static_cast<void>(part_.release());
  }
  Abandoned(const Abandoned&) = delete;
  Abandoned& operator=(const Abandoned&) = delete;
  // Throws FailedPreconditionError in a child process without the threads.
  T* operator->() {
    if (part_->is_lost()) fail_forked();
    return part_.get();
  }

 private:
  std::unique_ptr<T> part_;
};

}  // namespace penstock::data
