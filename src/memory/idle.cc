#include "memory/idle.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <atomic>

#include "memory/regions.h"

namespace penstock::memory {
namespace {

constexpr int64_t kIdleMs = 1000;  // longer than the pause between two steps of most loops
constexpr int64_t kPeriodMs = 250;
constexpr size_t kStackBytes = 256 << 10;

// Not the standard library's mutex: its destructor would run while the thread still uses it.
pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t g_wake = PTHREAD_COND_INITIALIZER;
bool g_has_thread = false;             // under g_mutex
std::atomic<bool> g_is_awake = false;  // it will check the caches again

void lock_all() noexcept {
  pthread_mutex_lock(&g_mutex);
  lock_pages();
  lock_small();
  regions::lock();
}
void unlock_all() noexcept {
  regions::unlock();
  unlock_small();
  unlock_pages();
  pthread_mutex_unlock(&g_mutex);
}
void in_child() noexcept {
  g_has_thread = false;
  g_is_awake.store(false, std::memory_order_relaxed);
  unlock_all();
}

void wait_for_something() noexcept {
  pthread_mutex_lock(&g_mutex);
  while (!g_is_awake.load(std::memory_order_relaxed)) pthread_cond_wait(&g_wake, &g_mutex);
  pthread_mutex_unlock(&g_mutex);
}

bool release_idle() noexcept {
  const int64_t time = coarse_now() - kIdleMs;
  const bool has_pages = release_idle_pages(time);
  const bool has_small = release_idle_small(time);
  return has_pages || has_small;
}

void* run(void*) {
  for (;;) {
    wait_for_something();
    do {
      const timespec period = {0, kPeriodMs * 1000000};
      nanosleep(&period, nullptr);
    } while (release_idle());
    g_is_awake.store(false);
    // Catches blocks cached in the meantime, which did not wake the thread.
    if (release_idle()) g_is_awake.store(true);
  }
  return nullptr;
}

// Pre: g_mutex is held. Without a thread blocks stay cached; the next call tries again.
bool start_thread() noexcept {
  static const bool follows_forks = pthread_atfork(lock_all, unlock_all, in_child) == 0;
  if (!follows_forks) return false;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigset_t all, before;  // signals are for the program's own threads
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const bool is_started = pthread_create(&thread, &attributes, run, nullptr) == 0;
  if (is_started) pthread_setname_np(thread, "penstock-idle");
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return is_started;
}

[[gnu::noinline]] void wake() noexcept {
  pthread_mutex_lock(&g_mutex);
  if (!g_has_thread) g_has_thread = start_thread();
  if (g_has_thread) {
    g_is_awake.store(true);
    pthread_cond_signal(&g_wake);
  }
  pthread_mutex_unlock(&g_mutex);
}

}  // namespace

int64_t coarse_now() noexcept {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return static_cast<int64_t>(time.tv_sec) * 1000 + time.tv_nsec / 1000000;
}

void watch_idle() noexcept {
  if (__builtin_expect(!g_is_awake.load(std::memory_order_relaxed), 0)) wake();
}

}  // namespace penstock::memory
