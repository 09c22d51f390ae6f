#include "base/stack.h"

#include <cstdint>
#include <limits>

#if defined(__linux__)
#include <pthread.h>
#endif

namespace penstock {
namespace {

// The lowest address of this thread's stack; 0 if unknown.
uintptr_t stack_end() {
#if defined(__linux__)
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* low = nullptr;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<uintptr_t>(low);
#else
  return 0;
#endif
}

}  // namespace

size_t stack_left() {
  thread_local const uintptr_t end = stack_end();
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return end == 0 || here < end ? std::numeric_limits<size_t>::max() : here - end;
}

}  // namespace penstock
