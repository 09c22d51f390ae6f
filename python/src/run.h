// run: an op call from Python. The GIL is released around large kernels.
#pragma once

#include <Python.h>

#include <optional>

#include <penstock/ops/dispatch.h>
#include <penstock/recording/recording.h>

#include "user_line.h"

namespace penstock::python {

// Releases the GIL while it exists, if requested. The line for a recording is looked up before.
class WithoutGil {
 public:
  explicit WithoutGil(bool wanted = true) {
    if (!wanted) return;
    if (recording::is_on()) line_.emplace(user_site());
    state_ = PyEval_SaveThread();
  }
  ~WithoutGil() {
    if (state_ != nullptr) PyEval_RestoreThread(state_);
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  std::optional<recording::SiteScope> line_;
  PyThreadState* state_ = nullptr;
};

// Holds the GIL, on a thread that may or may not have it: for callbacks from C++.
class WithGil {
 public:
  WithGil() : state_(PyGILState_Ensure()) {}
  ~WithGil() { PyGILState_Release(state_); }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  PyGILState_STATE state_;
};

// From this many bytes on, releasing the GIL pays off.
inline constexpr int64_t kBytesWorthReleasing = 32 * 1024;

// dispatch, with the GIL released if the call is large.
Tensors run(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs,
            uint64_t donated = 0);

}  // namespace penstock::python
