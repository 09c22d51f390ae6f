// Preloaded into a program, fails one of its heap allocations.
//
//   MALLOC_FAULT_AT=n      the nth allocation since the program started fails
//   MALLOC_FAULT_IN=a,b    only those count that are made in libraries with these in their names
//   malloc_fault_arm(n)    the nth from now on fails (0: none; counting restarts)
//   malloc_fault_count()   allocations counted since the start or the last arming
//
// Counts malloc, calloc, realloc, posix_memalign and aligned_alloc, of all threads. operator new
// comes down to these.
#include <dlfcn.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include <atomic>

// glibc's own, under the names that interposing leaves alone.
extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* block, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
}

namespace {

std::atomic<bool> g_counting{false};
std::atomic<long> g_count{0};
std::atomic<long> g_fail_at{0};

// A list of names, each followed by a zero, and one more; empty: all libraries count.
char g_libraries[256];

bool is_counted(void* caller) {
  if (g_libraries[0] == '\0') return true;
  Dl_info library;
  if (dladdr(caller, &library) == 0 || library.dli_fname == nullptr) return false;
  for (const char* name = g_libraries; *name != '\0'; name += std::strlen(name) + 1) {
    if (std::strstr(library.dli_fname, name) != nullptr) return true;
  }
  return false;
}

bool should_fail(void* caller) {
  if (!g_counting.load(std::memory_order_relaxed) || !is_counted(caller)) return false;
  const long number = g_count.fetch_add(1, std::memory_order_relaxed) + 1;
  if (number != g_fail_at.load(std::memory_order_relaxed)) return false;
  errno = ENOMEM;
  return true;
}

}  // namespace

extern "C" {

void malloc_fault_arm(long nth) {
  g_fail_at = nth;
  g_count = 0;
  g_counting = true;
}

long malloc_fault_count() { return g_count; }

// Before the program's own constructors, after the dynamic linker's work.
__attribute__((constructor(101))) static void start() {
  if (const char* names = std::getenv("MALLOC_FAULT_IN")) {
    std::strncpy(g_libraries, names, sizeof g_libraries - 2);
    for (char& letter : g_libraries) letter = letter == ',' ? '\0' : letter;
  }
  if (const char* text = std::getenv("MALLOC_FAULT_AT")) malloc_fault_arm(std::atol(text));
}

void* malloc(size_t bytes) {
  return should_fail(__builtin_return_address(0)) ? nullptr : __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
  return should_fail(__builtin_return_address(0)) ? nullptr : __libc_calloc(count, bytes);
}
void* realloc(void* block, size_t bytes) {
  return should_fail(__builtin_return_address(0)) ? nullptr : __libc_realloc(block, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  return should_fail(__builtin_return_address(0)) ? nullptr : __libc_memalign(alignment, bytes);
}
int posix_memalign(void** block, size_t alignment, size_t bytes) {
  if (should_fail(__builtin_return_address(0))) return ENOMEM;
  *block = __libc_memalign(alignment, bytes);
  return *block == nullptr ? ENOMEM : 0;
}
}
