// The one thread pool: parallel_for splits a range over it.
#pragma once

#include <cstdint>
#include <type_traits>

#include <penstock/base/export.h>

namespace penstock {

// The number of threads that large ops may use, including the calling one. Initially
// PENSTOCK_THREADS or the number of cores. Throws InvalidArgumentError for less than 1.
PEN_API void set_num_threads(int threads);
PEN_API int num_threads();
// The largest useful number of threads, for which ops reserve scratch memory. Fixed per process.
PEN_API int max_threads();

// Calls body(begin, end) on disjoint parts that cover [0, total), each at least `grain` long where
// possible, and returns when all are done. Runs on the calling thread alone if there is too little
// work, inside another parallel_for, or while another thread uses the pool. Never allocates (except
// the threads, once) and never throws; `body` must not throw.
PEN_API void parallel_for_raw(int64_t total, int64_t grain, void (*body)(void*, int64_t, int64_t),
                              void* context) noexcept;

template <typename Body>
void parallel_for(int64_t total, int64_t grain, Body&& body) noexcept {
  if (total <= grain) {
    if (total > 0) body(int64_t{0}, total);
    return;
  }
  using Plain = std::remove_reference_t<Body>;
  parallel_for_raw(
      total, grain,
      [](void* context, int64_t begin, int64_t end) {
        (*static_cast<Plain*>(context))(begin, end);
      },
      const_cast<void*>(static_cast<const void*>(&body)));
}

}  // namespace penstock
