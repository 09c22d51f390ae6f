// fuzz: random calls until the time is up. Each must end in a result or a penstock::Error (but not
// InternalError), leave the ledger balanced and come back soon. A crash or a hang is reported with
// the numbers that run it again: --seed and --iteration.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include <chrono>

#include <penstock/autodiff/tape.h>
#include <penstock/memory/memory.h>

#include "mutate.h"

#if defined(PENSTOCK_SANITIZE_ADDRESS) || defined(PENSTOCK_SANITIZE_THREAD)
extern "C" void __sanitizer_set_death_callback(void (*callback)());
#define PEN_SANITIZED 1
#else
#define PEN_SANITIZED 0
#endif

namespace penstock::op_check {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kBudget = 64 << 20;
constexpr unsigned kHangSeconds = PEN_SANITIZED ? 60 : 20;

// What is running now, ready to be written by a signal handler.
char g_running[4096];

void say_running(const char* why) {
  const auto say = [](const char* text) {
    if (write(STDERR_FILENO, text, std::strlen(text)) < 0) _exit(1);
  };
  say("op_check fuzz: ");
  say(why);
  say(" in ");
  say(g_running);
  say("\n");
}

void on_crash(int signal_number) {
  say_running(signal_number == SIGALRM ? "HANG" : "CRASH");
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

void catch_crashes() {
  std::signal(SIGALRM, on_crash);
#if PEN_SANITIZED
  // The sanitizer prints its own report first.
  __sanitizer_set_death_callback([] { say_running("CRASH"); });
  std::signal(SIGABRT, on_crash);
#else
  for (int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(crash, on_crash);
#endif
}

// All attributes in the op's order, as dispatch wants them.
std::vector<Attr> ordered_attrs(const RandomCall& call) {
  std::vector<Attr> attrs;
  for (const AttrDef& def : call.op.def->attrs) {
    Attr value = def.fallback;
    for (const auto& [name, literal] : call.attrs) {
      if (name == def.name) value = attr_of(literal);
    }
    attrs.push_back(value);
  }
  return attrs;
}

Tensors run_call(const RandomCall& call, std::vector<Tensor>& inputs) {
  if (call.given != 0) {
    std::vector<const Tensor*> pointers;
    for (const Tensor& input : inputs) pointers.push_back(&input);
    return dispatch(*call.op.def, pointers, ordered_attrs(call), call.given);
  }
  std::vector<NamedAttr> attrs;
  for (const auto& [name, value] : call.attrs) attrs.push_back({name, attr_of(value)});
  return penstock::call(*call.op.def, inputs, attrs);
}

void run_case(const RandomCall& call, Random& random) {
  std::vector<Tensor> inputs;
  for (const RandomInput& input : call.inputs) inputs.push_back(make_tensor(input, random));
  if (!call.with_gradient) {
    static_cast<void>(run_call(call, inputs));
    return;
  }
  Tape tape;
  std::vector<Source> sources;
  for (const Tensor& input : inputs) {
    if (!is_differentiable(input.dtype())) continue;
    tape.watch(input);
    sources.emplace_back(input);
  }
  const Tensors outputs = run_call(call, inputs);
  for (const Gradient& gradient : tape.gradient(outputs, sources)) {
    if (gradient.defined()) static_cast<void>(gradient.dense());
  }
}

struct Totals {
  int64_t calls = 0;
  int64_t results = 0;
  int64_t failures = 0;
};

void run_iteration(const Options& options, const std::vector<std::vector<Sample>>& samples,
                   int64_t iteration, Totals& totals) {
  Random random(options.seed * 0x9E3779B97F4A7C15u + static_cast<uint64_t>(iteration));
  random.next();
  const auto chosen = static_cast<size_t>(random.below(static_cast<int64_t>(options.ops.size())));
  if (samples[chosen].empty()) return;
  const RandomCall call = random_call(options.ops[chosen], samples[chosen], random);
  std::snprintf(g_running, sizeof g_running, "--seed %llu --iteration %lld: %s",
                static_cast<unsigned long long>(options.seed), static_cast<long long>(iteration),
                call.describe().c_str());
  if (options.iteration >= 0) std::printf("%s\n", g_running);
  const int64_t before = held_bytes();
  std::string problem;
  ++totals.calls;
  alarm(kHangSeconds);
  try {
    run_case(call, random);
    ++totals.results;
  } catch (const InternalError& error) {
    problem = error.what();
  } catch (const Error& error) {
    if (options.iteration >= 0) std::printf("refused: %s\n", error.what());
  } catch (const std::exception& error) {
    problem = cat("an exception that is no Error: ", error.what());
  }
  alarm(0);
  if (held_bytes() != before)
    problem += cat("the ledger holds ", held_bytes() - before, " bytes more");
  if (problem.empty()) return;
  ++totals.failures;
  std::printf("FAILED %s: %s\n", g_running, problem.c_str());
}

}  // namespace

int run_fuzz(const Options& options) {
  catch_crashes();
  memory::set_budget(kBudget);
  std::vector<std::vector<Sample>> samples;
  for (const Op& op : options.ops) {
    samples.emplace_back();
    for (Sample& sample : op.def->samples.value()) {
      if (!sample.for_speed) samples.back().push_back(std::move(sample));
    }
  }
  Totals totals;
  if (options.iteration >= 0) {
    run_iteration(options, samples, options.iteration, totals);
    return totals.failures == 0 ? 0 : 1;
  }
  const auto start = Clock::now();
  const double seconds = options.seconds > 0 ? options.seconds : 10;
  double next_report = 10;
  for (int64_t iteration = 0;; ++iteration) {
    const double spent = std::chrono::duration<double>(Clock::now() - start).count();
    if (spent >= seconds) break;
    if (spent >= next_report) {
      std::fprintf(stderr, "fuzz: %.0f s, %lld calls\n", spent,
                   static_cast<long long>(totals.calls));
      next_report += 10;
    }
    run_iteration(options, samples, iteration, totals);
  }
  std::printf("op_check fuzz: seed %llu, %lld calls, %lld with a result, %lld failed\n",
              static_cast<unsigned long long>(options.seed), static_cast<long long>(totals.calls),
              static_cast<long long>(totals.results), static_cast<long long>(totals.failures));
  return totals.failures == 0 ? 0 : 1;
}

}  // namespace penstock::op_check
