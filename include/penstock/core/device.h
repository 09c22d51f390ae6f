// Device: where bytes live. Today the CPU and its logical devices; the ledger counts each
// separately.
#pragma once

#include <cstdint>
#include <string>

namespace penstock {

inline constexpr int kMaxDevices = 8;

struct Device {
  uint8_t index = 0;  // CPU:index

  bool operator==(const Device&) const = default;
};

inline std::string to_string(Device device) { return "CPU:" + std::to_string(device.index); }

}  // namespace penstock
