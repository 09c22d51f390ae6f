// The command line of op_check.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <span>

#include <penstock/base/strings.h>

#include "kernels/target_choice.h"
#include "op_check.h"

namespace penstock {

#define PEN_OP(id) extern const OpDef id##_op;
#include "ops/op_list.inc"
#undef PEN_OP

namespace op_check {
namespace {

constexpr char kHelp[] =
    "usage: op_check --mode dump|grad|jvp|function|shapes|graph|perf|support|oom|memory|lists|\n"
    "                replay|fuzz [options]\n"
    "\n"
    "Checks derived from the op definitions and their samples.\n"
    "\n"
    "  dump     write every sample's inputs, attributes and outputs into --out\n"
    "  grad     gradients (first and second order) against finite differences\n"
    "  jvp      forward mode against reverse mode\n"
    "  function every sample as a traced function: eager bits, planned bytes\n"
    "  shapes   every sample with open sizes: what is known holds for all of them\n"
    "  graph    every sample in a graph of TensorFlow 1: fed, fetched, with its gradients\n"
    "  perf     nanoseconds a call and GB/s of the samples for speed\n"
    "  support  a Markdown table of ops and the dtypes that run\n"
    "  oom      fail every allocation of every sample in turn\n"
    "  memory   bytes of every sample: outputs and scratch alone, in place where that is declared\n"
    "  lists    lists that were not given are told from those that were\n"
    "  replay   make the calls recorded from TensorFlow in --in\n"
    "  fuzz     random calls for --seconds\n"
    "\n"
    "  --ops a,b        only these, by id (add) or TensorFlow name (AddV2)\n"
    "  --part k/n       every n-th of them, from the k-th on: n processes share the work\n"
    "  --seconds n      fuzz: how long (10); perf: a measurement (0.2)\n"
    "  --seed n         fuzz, shapes: where the random numbers start (1)\n"
    "  --iteration n    fuzz: only this one, to run a failure again\n"
    "  --out DIR        dump: where to write (op_samples)\n"
    "  --in DIR         replay: where the recorded calls are (tests/recorded/data)\n"
    "  --target NAME    kernels for this instruction set (AVX2, SSE2, NEON; all: one after the\n"
    "                   other; each dumps into a folder of its own in --out)\n"
    "  --help\n";

struct Mode {
  std::string_view name;
  int (*run)(const Options&);
};
constexpr Mode kModes[] = {
    {"dump", run_dump},         {"grad", run_grad},       {"jvp", run_jvp},
    {"perf", run_perf},         {"support", run_support}, {"oom", run_oom},
    {"memory", run_memory},     {"replay", run_replay},   {"fuzz", run_fuzz},
    {"function", run_function}, {"graph", run_graph},     {"shapes", run_shapes},
    {"lists", run_lists}};

std::vector<Op> listed_ops() {
  return {
#define PEN_OP(id) {#id, &id##_op},
#include "ops/op_list.inc"
#undef PEN_OP
  };
}

[[noreturn]] void fail_usage(std::string_view problem, std::string_view what) {
  std::fprintf(stderr, "op_check: %.*s %.*s (--help lists the options)\n",
               static_cast<int>(problem.size()), problem.data(), static_cast<int>(what.size()),
               what.data());
  std::exit(2);
}

std::vector<Op> chosen_ops(std::string_view names) {
  std::vector<Op> chosen;
  while (!names.empty()) {
    const size_t comma = std::min(names.find(','), names.size());
    const std::string_view name = names.substr(0, comma);
    names.remove_prefix(std::min(comma + 1, names.size()));
    bool found = false;
    for (const Op& op : listed_ops()) {
      if (op.id != name && op.def->name.value != name) continue;
      chosen.push_back(op);
      found = true;
    }
    if (!found) fail_usage("there is no op named", name);
  }
  return chosen;
}

template <typename T>
T number(std::string_view option, std::string_view text) {
  T value{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size())
    fail_usage(option, "needs a number");
  return value;
}

// What "k/n" leaves of the ops.
std::vector<Op> part_of(const std::vector<Op>& ops, std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == text.npos) fail_usage("--part", "needs k/n");
  const auto first = number<size_t>("--part", text.substr(0, slash));
  const auto step = number<size_t>("--part", text.substr(slash + 1));
  if (first < 1 || first > step) fail_usage("--part", "needs a k from 1 to n");
  std::vector<Op> part;
  for (size_t i = first - 1; i < ops.size(); i += step) part.push_back(ops[i]);
  return part;
}

int run_on_target(const Mode& mode, const Options& options, std::string_view target) {
  kernels::choose_target(target);
  std::printf("op_check: kernels for %s\n", std::string(target).c_str());
  std::fflush(stdout);
  return mode.run(options);
}

// In a process of its own: random numbers go on where the last call stopped.
int run_in_child(const Mode& mode, const Options& options, std::string_view target) {
  const pid_t child = fork();
  if (child == 0) {
    const int status = run_on_target(mode, options, target);
    std::exit(status);
  }
  int status = 1;
  if (child < 0 || waitpid(child, &status, 0) != child) return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

// Runs the mode with the kernels of one instruction set, or of each that this machine has, each with
// a folder of its own for what it writes. The exit status, or the first that is not 0.
int run_on_targets(const Mode& mode, Options options, std::string_view name) {
  const std::span<const std::string_view> usable = kernels::usable_targets();
  if (name != "all") {
    if (std::ranges::count(usable, name) == 0) fail_usage("there are no kernels here for", name);
    return run_on_target(mode, options, name);
  }
  const std::string folder = options.out;
  int first = 0;
  for (const std::string_view target : usable) {
    options.out = cat(folder, "/", target);
    const int status = run_in_child(mode, options, target);
    if (first == 0) first = status;
  }
  return first;
}

int run(int argc, char** argv) {
  Options options{.ops = listed_ops()};
  std::string_view part, target;
  const Mode* mode = nullptr;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--help" || option == "-h") {
      std::fputs(kHelp, stdout);
      return 0;
    }
    if (i + 1 == argc) fail_usage("no such option, or it needs a value:", option);
    const std::string_view value = argv[++i];
    if (option == "--mode") {
      for (const Mode& m : kModes) mode = m.name == value ? &m : mode;
      if (mode == nullptr) fail_usage("there is no mode", value);
    } else if (option == "--ops") {
      options.ops = chosen_ops(value);
    } else if (option == "--part") {
      part = value;
    } else if (option == "--seconds") {
      options.seconds = number<double>(option, value);
    } else if (option == "--seed") {
      options.seed = number<uint64_t>(option, value);
    } else if (option == "--iteration") {
      options.iteration = number<int64_t>(option, value);
    } else if (option == "--out") {
      options.out = value;
    } else if (option == "--in") {
      options.in = value;
    } else if (option == "--target") {
      target = value;
    } else {
      fail_usage("there is no option", option);
    }
  }
  if (mode == nullptr) fail_usage("please give", "--mode");
  if (!part.empty()) options.ops = part_of(options.ops, part);
  return target.empty() ? mode->run(options) : run_on_targets(*mode, options, target);
}

}  // namespace
}  // namespace op_check
}  // namespace penstock

int main(int argc, char** argv) {
  try {
    return penstock::op_check::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "op_check: %s\n", error.what());
    return 1;
  }
}
