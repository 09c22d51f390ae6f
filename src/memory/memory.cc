#include <penstock/memory/memory.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>

#include "memory/blocks.h"
#include "memory/budget.h"
#include "memory/regions.h"
#include "memory/system.h"

namespace penstock::memory {
namespace {

void check_device(Device device) {
  if (device.index >= kMaxDevices) {
    throw InvalidArgumentError(cat(device, " is not a device: there are ", kMaxDevices));
  }
}

}  // namespace

std::atomic<bool> g_has_default_budget{false};

void set_default_budget() noexcept {
  static std::once_flag once;
  std::call_once(once, [] {
    int64_t bytes = physical_bytes();
    if (const char* text = std::getenv("PENSTOCK_BUDGET"); text != nullptr && *text != '\0') {
      try {
        bytes = parse_bytes(text);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "penstock: PENSTOCK_BUDGET is ignored: %s\n", error.what());
      }
    }
    for (int i = 0; i < kMaxDevices; ++i) {
      if (ledger::limit(i) == ledger::kNoLimit) ledger::set_limit(i, bytes);
    }
    g_has_default_budget.store(true, std::memory_order_release);
  });
}

MemoryCounters info(Device device) {
  check_device(device);
  return ledger::device_counters(device.index);
}

MemoryCounters info(Tag tag, Device device) {
  check_device(device);
  return ledger::tag_counters(device.index, tag);
}

void reset_peak(Device device) {
  check_device(device);
  ledger::reset_peak(device.index);
}

void set_budget(int64_t bytes, Device device) {
  check_device(device);
  if (bytes < 0) throw InvalidArgumentError(cat("a memory budget cannot be negative: ", bytes));
  apply_default_budget();
  ledger::set_limit(device.index, bytes);
}

int64_t budget(Device device) {
  check_device(device);
  apply_default_budget();
  return ledger::limit(device.index);
}

int64_t parse_bytes(std::string_view text) {
  struct Unit {
    std::string_view name;
    double factor;
  };
  static constexpr Unit kUnits[] = {
      {"", 1},      {"B", 1},        {"KB", 1e3},     {"MB", 1e6},     {"GB", 1e9},
      {"TB", 1e12}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status == std::errc() && std::isfinite(number) && number >= 0) {
    std::string_view name(end, static_cast<size_t>(text.data() + text.size() - end));
    while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
    for (const Unit& unit : kUnits) {
      if (name == unit.name && number * unit.factor < 0x1p62) {
        return static_cast<int64_t>(number * unit.factor);
      }
    }
  }
  throw InvalidArgumentError(cat("\"", text, "\" is not a number of bytes such as 512MiB"));
}

Stats stats() { return {mapped_bytes(), cached_small_bytes() + cached_page_bytes()}; }

int64_t resident_bytes() { return regions::resident_bytes(); }

void set_cache_limit(int64_t bytes) {
  if (bytes < 0) throw InvalidArgumentError(cat("a cache limit cannot be negative: ", bytes));
  set_page_cache_limit(bytes);
}

void trim() {
  trim_small();
  trim_pages();
}

}  // namespace penstock::memory
