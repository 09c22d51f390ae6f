#include "autodiff/thread_tapes.h"

#include <pthread.h>

#include "autodiff/tape_state.h"

namespace penstock::autodiff {

thread_local TapeState* t_innermost = nullptr;
thread_local bool t_paused = false;

namespace {

// A thread that ends releases its list: a tape may be dropped later, on another thread.
void at_thread_exit(void*) {
  while (t_innermost != nullptr) unlist_tape(t_innermost);
}

void watch_thread_exit() noexcept {
  static pthread_key_t key;
  static const bool has_key = pthread_key_create(&key, at_thread_exit) == 0;
  if (has_key) pthread_setspecific(key, &key);  // any value but null
}

}  // namespace

void list_tape(TapeState* state) {
  watch_thread_exit();
  state->below = t_innermost;
  state->is_listed = true;
  state->references.fetch_add(1, std::memory_order_relaxed);
  t_innermost = state;
}

void unlist_tape(TapeState* state) {
  if (!state->is_listed) return;
  TapeState** link = &t_innermost;
  while (*link != nullptr && *link != state) link = &(*link)->below;
  if (*link == nullptr) {  // hidden: the list drops it when it is restored
    state->is_closed.store(true, std::memory_order_release);
    return;
  }
  *link = state->below;
  state->is_listed = false;
  release_tape(state);
}

void release_tape(TapeState* state) {
  if (state->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete state;
}

}  // namespace penstock::autodiff
