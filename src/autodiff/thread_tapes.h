// The open tapes of a thread: a list, the innermost tape first.
#pragma once

namespace penstock::autodiff {

struct TapeState;
// The innermost tape of this thread, and whether recording is paused.
extern thread_local TapeState* t_innermost;
extern thread_local bool t_paused;

inline bool is_recording() { return t_innermost != nullptr && !t_paused; }

// Adds a tape to this thread's list, which then holds a reference to it.
void list_tape(TapeState* state);
// Pre: called on the tape's own thread.
void unlist_tape(TapeState* state);
// Drops a reference; the last one frees the tape.
void release_tape(TapeState* state);

}  // namespace penstock::autodiff
