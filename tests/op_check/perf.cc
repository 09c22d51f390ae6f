// perf: how long the samples for speed take, and what a small call costs.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "call.h"

namespace penstock::op_check {
namespace {

using Clock = std::chrono::steady_clock;

// The best of several batches, in nanoseconds a call.
double time_call(const Call& call, double seconds) {
  const auto batch = [&](int64_t runs) {
    const auto start = Clock::now();
    for (int64_t i = 0; i < runs; ++i) static_cast<void>(call.run());
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const double once = std::max({batch(1), 1e-8});
  const int64_t runs = std::max<int64_t>(1, static_cast<int64_t>(seconds / 8 / once));
  double best = 1e9;
  for (double spent = 0; spent < seconds;) {
    const double took = batch(runs);
    best = std::min(best, took / static_cast<double>(runs));
    spent += std::max(took, 1e-6);
  }
  return best * 1e9;
}

int64_t moved_bytes(const Call& call) {
  int64_t bytes = 0;
  for (const Tensor& input : call.inputs) bytes += input.num_bytes();
  for (const Tensor& output : call.run()) bytes += output.num_bytes();
  return bytes;
}

}  // namespace

int run_perf(const Options& options) {
  const double seconds = options.seconds > 0 ? options.seconds : 0.2;
  int failures = 0;
  std::printf("%-28s %14s %10s %14s  %s\n", "op", "ns/call", "GB/s", "small ns/call", "sample");
  for (const Op& op : options.ops) {
    try {
      const std::vector<Call> small = calls_of(op);
      const double small_ns = small.empty() ? 0 : time_call(small[0], seconds / 4);
      for (const Call& call : calls_of(op, true)) {
        const double ns = time_call(call, seconds);
        std::printf("%-28.*s %14.0f %10.2f %14.0f  %s\n", static_cast<int>(op.id.size()),
                    op.id.data(), ns, static_cast<double>(moved_bytes(call)) / ns, small_ns,
                    call.describe().c_str());
        std::fflush(stdout);
      }
    } catch (const std::exception& error) {
      ++failures;
      std::printf("FAILED %.*s: %s\n", static_cast<int>(op.id.size()), op.id.data(), error.what());
    }
  }
  std::printf("op_check perf: %zu ops, %d failed\n", options.ops.size(), failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace penstock::op_check
