#include <penstock/base/threads.h>

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>

namespace penstock {
namespace {

constexpr int kMaxThreads = 64;
constexpr int kPartsAThread = 4;  // so that a slow thread does not hold up the others

struct Job {
  void (*body)(void*, int64_t, int64_t);
  void* context;
  int64_t total;
  int64_t part;  // length of a part
  std::atomic<int64_t> next{0};

  void work() noexcept {
    for (;;) {
      const int64_t begin = next.fetch_add(part, std::memory_order_relaxed);
      if (begin >= total) return;
      body(context, begin, std::min(total, begin + part));
    }
  }
};

thread_local bool t_inside = false;

// Workers sleep until a job is posted; the poster works too and leaves when no worker is inside.
class Pool {
 public:
  // False if the pool is busy: the caller then does the job alone.
  bool run(Job& job, int threads) noexcept {
    if (!busy_.try_lock()) return false;
    start_workers(threads - 1);
    {
      const std::lock_guard lock(mutex_);
      job_ = &job;
      wanted_ = std::min(threads - 1, num_workers_);
      ++generation_;
    }
    wake_.notify_all();
    t_inside = true;
    job.work();
    t_inside = false;
    std::unique_lock lock(mutex_);
    job_ = nullptr;
    done_.wait(lock, [this] { return inside_ == 0; });
    lock.unlock();
    busy_.unlock();
    return true;
  }

 private:
  void start_workers(int count) noexcept {
    static const int at_fork = pthread_atfork(nullptr, nullptr, [] { forget_workers(); });
    static_cast<void>(at_fork);
    while (num_workers_ < std::min(count, kMaxThreads)) {
      try {
        std::thread([this] { work(); }).detach();
      } catch (const std::exception&) {
        return;  // no thread or memory: continue with the existing ones
      }
      ++num_workers_;
    }
  }
  static void forget_workers() noexcept;

  void work() noexcept {
    t_inside = true;
    uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return job_ != nullptr && generation_ != seen; });
      seen = generation_;
      if (inside_ >= wanted_) continue;
      Job* job = job_;
      ++inside_;
      lock.unlock();
      job->work();
      lock.lock();
      if (--inside_ == 0) done_.notify_one();
    }
  }

  std::mutex busy_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  Job* job_ = nullptr;
  uint64_t generation_ = 0;
  int wanted_ = 0;
  int inside_ = 0;
  int num_workers_ = 0;
};

// Never destroyed: its threads outlive main.
alignas(Pool) char g_pool_memory[sizeof(Pool)];
Pool& pool() {
  static Pool* const instance = new (g_pool_memory) Pool;
  return *instance;
}
void Pool::forget_workers() noexcept { new (g_pool_memory) Pool; }

int cores() {
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMaxThreads);
}

int read_environment() {
  const char* text = std::getenv("PENSTOCK_THREADS");
  if (text == nullptr || *text == '\0') return cores();
  int threads = 0;
  const char* last = text + std::strlen(text);
  const auto [end, status] = std::from_chars(text, last, threads);
  const bool is_large = status == std::errc::result_out_of_range && *text != '-';
  if (end == last && (is_large || (status == std::errc() && threads >= 1)))
    return is_large ? kMaxThreads : std::min(threads, kMaxThreads);
  std::fprintf(stderr,
               "penstock: PENSTOCK_THREADS is ignored: \"%s\" is not a number of threads such as "
               "4\n",
               text);
  return cores();
}
int default_threads() {
  static const int threads = read_environment();
  return threads;
}

std::atomic<int> g_threads{0};

}  // namespace

void set_num_threads(int threads) {
  if (threads < 1)
    throw InvalidArgumentError(cat("the number of threads must be at least 1, not ", threads));
  g_threads.store(std::min(threads, kMaxThreads), std::memory_order_relaxed);
}

int num_threads() {
  int threads = g_threads.load(std::memory_order_relaxed);
  if (threads == 0) {
    threads = default_threads();
    g_threads.store(threads, std::memory_order_relaxed);
  }
  return threads;
}

int max_threads() {
  static const int threads = std::max(cores(), default_threads());
  return threads;
}

void parallel_for_raw(int64_t total, int64_t grain, void (*body)(void*, int64_t, int64_t),
                      void* context) noexcept {
  if (total <= 0) return;
  const int threads = t_inside ? 1 : num_threads();
  if (threads > 1 && total > grain) {
    const int64_t parts = static_cast<int64_t>(threads) * kPartsAThread;
    Job job{body, context, total, std::max<int64_t>({grain, (total + parts - 1) / parts, 1})};
    if (pool().run(job, threads)) return;
  }
  body(context, 0, total);
}

}  // namespace penstock
