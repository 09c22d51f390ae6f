// The sampler: a thread that looks after the recording's file.
#pragma once

#include "recording/recorder.h"

namespace penstock::recording {

// Looks after the file ten times a second, on a thread of its own: samples of the whole process,
// what `penstock top` shows, and old pages out of memory.
void start_sampler();
void stop_sampler() noexcept;
void forget_sampler() noexcept;  // in a child process, which has no such thread
// One sample now, or only the header's figures. The recorder's lock is held.
void take_sample(Recorder& recorder) noexcept;
void update_header(Recorder& recorder) noexcept;

}  // namespace penstock::recording
