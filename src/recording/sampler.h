// The sampler: a thread that maintains the recording's file.
#pragma once

#include "recording/recorder.h"

namespace penstock::recording {

// Starts a thread that ten times a second samples the whole process, updates the data of `penstock
// top`, and drops old pages from memory.
void start_sampler();
void stop_sampler() noexcept;
void forget_sampler() noexcept;  // in a child process, which has no such thread
// Takes one sample now, or updates only the header. The recorder's lock is held.
void take_sample(Recorder& recorder) noexcept;
void update_header(Recorder& recorder) noexcept;

}  // namespace penstock::recording
