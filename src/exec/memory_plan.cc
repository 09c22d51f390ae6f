#include <penstock/exec/memory_plan.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include <penstock/base/strings.h>

#include "graph/control.h"
#include "graph/graph.h"
#include "plan/checkpoints.h"

namespace penstock {
namespace {

constexpr size_t kMostHolders = 10;

// "1.5 MiB"
std::string size_text(int64_t bytes) {
  static constexpr struct {
    const char* name;
    int64_t bytes;
  } kUnits[] = {{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}};
  for (const auto& unit : kUnits) {
    if (bytes < unit.bytes) continue;
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %s",
                  static_cast<double>(bytes) / static_cast<double>(unit.bytes), unit.name);
    return text;
  }
  return cat(bytes, " B");
}

// The values live at the peak, largest first.
std::vector<const PlannedValue*> live_at_peak(const MemoryPlan& plan) {
  std::vector<const PlannedValue*> live;
  for (const PlannedValue& value : plan.values) {
    const bool is_live =
        value.first <= plan.peak_instruction && plan.peak_instruction <= value.last;
    if (is_live || value.kind == "output") live.push_back(&value);
  }
  std::ranges::stable_sort(live, std::ranges::greater(), &PlannedValue::bytes);
  return live;
}

std::string kinds_text(const std::vector<const PlannedValue*>& live) {
  std::map<std::string_view, int64_t> sums;
  for (const PlannedValue* value : live) sums[value->kind] += value->bytes;
  std::string text;
  for (const auto& [kind, bytes] : sums)
    text += cat(text.empty() ? "" : ", ", kind, " ", size_text(bytes));
  return text;
}

std::string value_text(const PlannedValue& value) {
  std::string text = cat("  ", size_text(value.bytes), "  ", value.kind, "  ", value.name, "  ");
  text += value.dtype == DType::kInvalid ? "bytes" : cat(value.dtype, value.shape);
  if (!value.line.empty()) text += cat("  ", value.line);
  return text + "\n";
}

std::string loop_text(const PlannedLoop& loop) {
  std::string text = loop.name();
  if (!loop.line.empty()) text += cat(" at ", loop.line);
  text += cat(": ", loop.trips < 0 ? std::string("n") : std::to_string(loop.trips),
              " steps, state ", size_text(loop.state_bytes));
  if (loop.is_gradient()) {
    const bool is_limit = loop.trips < 0 && loop.checkpoints >= 0;
    text += cat(", ", is_limit ? "at most " : "", loop.most_checkpoints(), " states kept",
                loop.is_in_file ? " in a file" : "");
    if (loop.forward_steps >= 0) text += cat(", ", loop.forward_steps, " steps forwards");
  }
  return text + "\n";
}

}  // namespace

std::string to_string(const MemoryPlan& plan) {
  std::string text =
      cat("peak ", size_text(plan.peak_bytes), " (", plan.peak_bytes, " bytes), at least ",
          plan.lower_bound + plan.output_bytes, "; ", plan.instructions.size(), " instructions\n");
  const std::vector<const PlannedValue*> live = live_at_peak(plan);
  if (plan.peak_instruction >= 0) {
    text += cat("fullest at ", plan.instructions[static_cast<size_t>(plan.peak_instruction)], " (",
                plan.peak_instruction, "): ", kinds_text(live), "\n");
  }
  int64_t rest = 0;
  for (size_t i = 0; i < live.size(); ++i) {
    if (i < kMostHolders) text += value_text(*live[i]);
    if (i >= kMostHolders) rest += live[i]->bytes;
  }
  if (rest > 0) text += cat("  ", size_text(rest), " in ", live.size() - kMostHolders, " more\n");
  for (const PlannedLoop& loop : plan.loops) text += loop_text(loop);
  if (!plan.unknown.empty()) text += "known only when they run, and not in the peak:\n";
  for (const std::string& each : plan.unknown) text += cat("  ", each, "\n");
  text.pop_back();
  return text;
}

std::string PlannedLoop::name() const {
  return name_of(is_gradient() ? Control::Kind::kLoopGradient : Control::Kind::kLoop);
}

// Matches plan::online_checkpoints().
std::string PlannedLoop::most_checkpoints() const {
  return checkpoints < 0 ? "max(8, ceil(sqrt(2 n)))" : std::to_string(checkpoints);
}

int64_t PlannedLoop::checkpoints_after(int64_t steps) const {
  if (trips >= 0) return checkpoints;
  const int64_t most = checkpoints < 0 ? plan::online_checkpoints(steps) : checkpoints;
  return std::min(most, std::max<int64_t>(steps - 1, 0));
}

int64_t MemoryPlan::peak_bytes_after(int64_t steps) const {
  int64_t most = 0;
  std::vector<int64_t> held;  // by the enclosing loops, and this one
  for (const PlannedLoop& loop : loops) {
    held.resize(static_cast<size_t>(loop.depth));
    held.push_back((held.empty() ? 0 : held.back()) +
                   (loop.grows() ? loop.checkpoints_after(steps) * loop.state_bytes : 0));
    most = std::max(most, held.back());
  }
  return peak_bytes + most;
}

}  // namespace penstock
