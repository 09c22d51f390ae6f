// Loads OpenBLAS at the first call that needs LAPACK.
//
// Linking to it would be simpler, but OpenBLAS starts a thread for every core but one when it is
// loaded, and those spin before they sleep (80 ms of processor time for each, seen with 0.3.34):
// every program would pay that, linear algebra or not. How many it starts follows from the loading
// thread's affinity, so that thread runs on one core while it loads the library: OpenBLAS then
// stays without threads, and our own pool runs over batches of matrices.
//
// Memory that the ledger does not see: OpenBLAS keeps a buffer for packed panels per thread that is
// inside it at the same time. A buffer is 32 MiB of address space, of which only what a call writes
// becomes resident (measured for potrf, float64: 0.2 MiB at n = 64, 0.8 MiB at 512, 8.5 MiB at
// 2048); it is kept for the next call. So it is bounded by 32 MiB times the number of threads.
//
// OpenBLAS ends the process if the system refuses such a buffer. So at most as many threads enter
// it as it has buffers. One more may enter only after a check that its buffer can be allocated. The
// first buffer is allocated when the library is loaded, which may fail.
#include "kernels/lapack.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>

#include <atomic>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace penstock::kernels {
namespace {

struct Tables {
  Lapack<float> s;
  Lapack<double> d;
  Lapack<std::complex<float>> c;
  Lapack<std::complex<double>> z;
};
constinit Tables g_tables = {};
constinit std::atomic<bool> g_loaded = false;
constinit std::mutex g_mutex;
constinit char g_problem[256] = "";
constinit std::atomic<bool> g_lacks_memory = false;

// Threads inside the library, and the buffers that it has or may take.
constinit std::atomic<int> g_inside = 0;
constinit std::atomic<int> g_buffers = 0;

// Somewhat more than a buffer: room for overhead and for other threads meanwhile.
constexpr size_t kBufferRoom = 40 << 20;
constexpr size_t kLibraryRoom = 80 << 20;  // with the buffer that it takes when it is loaded

// Whether that much could be mapped now.
bool has_room(size_t bytes) noexcept {
  void* room = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return false;
  munmap(room, bytes);
  return true;
}

bool try_enter() noexcept {
  if (g_inside.fetch_add(1) < g_buffers.load()) return true;
  g_inside.fetch_sub(1);
  return false;
}

// Waits until another thread leaves or there is room: without others inside there would be a free
// buffer.
[[gnu::noinline]] void wait_to_enter() noexcept {
  const timespec moment = {0, 100'000};
  while (!try_enter()) {
    const std::lock_guard lock(g_mutex);
    const int buffers = g_buffers.load();
    if (g_inside.load() < buffers) continue;
    if (buffers > 0 && has_room(kBufferRoom)) {
      g_buffers.fetch_add(1);
    } else {
      nanosleep(&moment, nullptr);
    }
  }
}

// Pins this thread to its current core while it exists.
class OneCore {
 public:
  OneCore() noexcept {
    is_set_ = sched_getaffinity(0, sizeof before_, &before_) == 0;
    const int core = sched_getcpu();
    if (!is_set_ || core < 0) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~OneCore() {
    if (is_set_) sched_setaffinity(0, sizeof before_, &before_);
  }
  OneCore(const OneCore&) = delete;
  OneCore& operator=(const OneCore&) = delete;

 private:
  cpu_set_t before_;
  bool is_set_;
};

// The library frees its buffers at exit, even while daemon threads use them. So no thread may enter
// any more, and threads inside finish their call first.
void close_at_exit() {
  g_buffers = INT_MIN / 2;
  const timespec moment = {0, 1'000'000};
  while (g_inside.load() > 0) nanosleep(&moment, nullptr);
}
void forget_others_in_child() { g_inside = 0; }

// Looks symbols up as scipy_<letter><routine>_ and remembers whether one was missing.
struct Lookup {
  void* library;
  char letter;
  bool is_complete = true;

  template <typename F>
  void operator()(F& function, const char* routine) {
    char name[64];
    std::snprintf(name, sizeof name, "scipy_%c%s_", letter, routine);
    void* symbol = dlsym(library, name);
    is_complete = is_complete && symbol != nullptr;
    std::memcpy(&function, &symbol, sizeof symbol);
  }
};

template <typename T>
bool fill(void* library, char letter, Lapack<T>& table) {
  Lookup look{library, letter};
  look(table.gemm, "gemm");
  look(table.trsm, "trsm");
  look(table.potrf, "potrf");
  look(table.getrf, "getrf");
  look(table.getri, "getri");
  look(table.gelqf, "gelqf");
  look(table.unglq, kIsComplex<T> ? "unglq" : "orglq");
  look(table.gesdd, "gesdd");
  look(table.heevd, kIsComplex<T> ? "heevd" : "syevd");
  if (kIsComplex<T>) {
    look(table.geev, "geev");
    look(table.gees, "gees");
  }
  return look.is_complete;
}

void note(const char* problem) {
  std::snprintf(g_problem, sizeof g_problem, "%s", problem != nullptr ? problem : "no memory");
  g_lacks_memory = std::strstr(g_problem, "memory") != nullptr ||
                   std::strstr(g_problem, "failed to map") != nullptr;
}

// The library's first buffer: potrf takes one for a matrix of any size.
bool take_first_buffer() noexcept {
  if (!has_room(kBufferRoom)) return false;
  const int one = 1;
  int info = 0;
  float number = 1;
  g_tables.s.potrf("U", &one, &number, &one, &info, 1);
  g_buffers = 1;
  return true;
}

bool load() {
  if (!has_room(kLibraryRoom)) return note("there is no memory for the library"), false;
  void* library = nullptr;
  {
    const OneCore one_core;
    library = dlopen("libscipy_openblas.so", RTLD_NOW | RTLD_LOCAL);
  }
  if (library == nullptr) return note(dlerror()), false;
  if (!fill(library, 's', g_tables.s) || !fill(library, 'd', g_tables.d) ||
      !fill(library, 'c', g_tables.c) || !fill(library, 'z', g_tables.z)) {
    note("libscipy_openblas.so lacks a routine");
    dlclose(library);
    return false;
  }
  // Another library may have loaded it before, with threads.
  void* symbol = dlsym(library, "scipy_openblas_set_num_threads");
  void (*set_num_threads)(int) = nullptr;
  std::memcpy(&set_num_threads, &symbol, sizeof symbol);
  if (set_num_threads != nullptr) set_num_threads(1);
  if (!take_first_buffer()) return note("there is no memory for its first buffer"), false;
  static const bool is_followed = std::atexit(close_at_exit) == 0 &&
                                  pthread_atfork(nullptr, nullptr, forget_others_in_child) == 0;
  if (!is_followed) return note("there is no memory to follow the process's end"), false;
  return true;
}

}  // namespace

bool load_lapack() noexcept {
  if (g_loaded.load(std::memory_order_acquire)) return true;
  const std::lock_guard lock(g_mutex);
  if (!g_loaded.load(std::memory_order_relaxed) && load())
    g_loaded.store(true, std::memory_order_release);
  return g_loaded.load(std::memory_order_relaxed);
}

const char* lapack_problem() noexcept { return g_problem; }
bool lapack_lacks_memory() noexcept { return g_lacks_memory; }

InLapack::InLapack() noexcept {
  if (__builtin_expect(!try_enter(), 0)) wait_to_enter();
}
InLapack::~InLapack() { g_inside.fetch_sub(1); }

template <>
const Lapack<float>& lapack_table() noexcept {
  return g_tables.s;
}
template <>
const Lapack<double>& lapack_table() noexcept {
  return g_tables.d;
}
template <>
const Lapack<std::complex<float>>& lapack_table() noexcept {
  return g_tables.c;
}
template <>
const Lapack<std::complex<double>>& lapack_table() noexcept {
  return g_tables.z;
}

}  // namespace penstock::kernels
