// Reservation: bytes that are counted and limited like a buffer's, but held by another library on
// our behalf, such as an array that becomes a tensor.
#pragma once

#include <cstdint>
#include <string_view>

#include <penstock/base/export.h>
#include <penstock/memory/buffer.h>

namespace penstock {

class PEN_API Reservation {
 public:
  // Throws ResourceExhaustedError, whose text begins with `who`.
  Reservation(int64_t bytes, std::string_view who);
  ~Reservation();
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;

 private:
  Buffer buffer_;  // without data
};

}  // namespace penstock
