// Whether this thread is one of a pipeline.
#pragma once

namespace penstock::data {

// True on the thread of a Worker. Python's collector may run there, and drop any iterator.
bool is_worker_thread();

}  // namespace penstock::data
