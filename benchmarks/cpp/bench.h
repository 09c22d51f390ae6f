// The frame of a benchmark case: inputs, a check of the result, then the timing.
//
//   PEN_CASE(add_4x4) {
//     const Tensor a = values({4, 4}, 1), b = values({4, 4}, 2);
//     bench.expect(add(a, b), [&](int64_t i) { return a.number_at(i) + b.number_at(i); });
//     bench.time([&] { return add(a, b); });
//   }
//
// A case that throws or computes something wrong is reported as an error and never timed. Besides
// the time, a case reports
//   allocations  the ledger's count of allocations, per call
//   peak_bytes   the most bytes that a call held in addition to those before it
//   check        a weighted sum of the result, which benchmarks/peers.py computes too: all
//                libraries start from the same numbers and must get the same sum
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include <benchmark/benchmark.h>
#include <penstock/penstock.h>

namespace penstock::bench {

// Number `i` of sequence `seed`: spread over [-1, 1), exact in float32, the same in every library.
float value_at(int64_t i, uint32_t seed);
// A float32 tensor of value_at(0, seed), value_at(1, seed), …
Tensor values(const Shape& shape, uint32_t seed);

class Bench {
 public:
  explicit Bench(benchmark::State& state) : state_(state) {}

  // Compares elements of `result` (all of a small one, some hundred of a large one) with
  // `reference(i)` in double precision, and notes the check sum. Throws if they differ by more than
  // `tolerance`.
  template <typename Reference>
  void expect(const Tensor& result, Reference&& reference, double tolerance = 1e-5) {
    const int64_t n = result.num_elements();
    for (int64_t k = 0, samples = std::min(n, kSamples); k < samples; ++k) {
      const int64_t i = samples == n ? k : k * (n / samples) + k % (n / samples);
      expect_close(result.number_at(i), reference(i), tolerance);
    }
    state_.counters["check"] = check_sum(result);
  }
  void expect_close(double value, double expected, double tolerance) const;

  // Times `call`, whose result lives until the next call begins.
  template <typename Call>
  void time(Call&& call) {
    benchmark::DoNotOptimize(call());  // warm: threads are up, the allocator has its blocks
    memory::reset_peak();
    const MemoryCounters before = memory::info();
    for (auto _ : state_) benchmark::DoNotOptimize(call());
    const MemoryCounters after = memory::info();
    state_.counters["allocations"] = benchmark::Counter(
        static_cast<double>(after.count - before.count), benchmark::Counter::kAvgIterations);
    state_.counters["peak_bytes"] = static_cast<double>(after.peak - before.current);
  }

 private:
  static constexpr int64_t kSamples = 200;
  static double check_sum(const Tensor& result);

  benchmark::State& state_;
};

template <void (*run)(Bench&)>
void run_case(benchmark::State& state) {
  try {
    Bench bench(state);
    run(bench);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

}  // namespace penstock::bench

// Defines and registers a case; the body sees `bench`.
#define PEN_CASE(name)                                                                  \
  static void name(Bench& bench);                                                       \
  BENCHMARK(run_case<name>)->Name(#name)->UseRealTime()->Unit(benchmark::kMicrosecond); \
  static void name(Bench& bench)
