// Interrupts: a long-running loop checks regularly whether the user wants to stop it.
#pragma once

#include <cstdint>

namespace penstock::exec {

class Interrupts {
 public:
  // Call once per step. Throws what the host's handler throws.
  void step() {
    if (--left_ == 0) ask();
  }

 private:
  void ask();

  int64_t left_ = 1, interval_ = 1;
  int64_t last_ns_ = 0;
};

}  // namespace penstock::exec
