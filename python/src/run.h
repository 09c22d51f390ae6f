// run: an op call from Python. The GIL is released around kernels that are worth it.
#pragma once

#include <Python.h>

#include <optional>

#include <penstock/ops/dispatch.h>
#include <penstock/recording/recording.h>

#include "user_line.h"

namespace penstock::python {

// No GIL while it lasts, if it was asked for. A recording's line is found before it is let go.
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

// The GIL on a thread that may or may not have it: for callbacks from C++.
class WithGil {
 public:
  WithGil() : state_(PyGILState_Ensure()) {}
  ~WithGil() { PyGILState_Release(state_); }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  PyGILState_STATE state_;
};

// From this many bytes on, letting other threads run costs less than it gives.
inline constexpr int64_t kBytesWorthReleasing = 32 * 1024;

// dispatch, with the GIL released when the call is large.
Tensors run(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs,
            uint64_t donated = 0);

}  // namespace penstock::python
