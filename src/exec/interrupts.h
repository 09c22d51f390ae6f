// Interrupts: a loop that runs for long asks now and then whether the user wants it to end.
#pragma once

#include <cstdint>

namespace penstock::exec {

class Interrupts {
 public:
  // To be called once a step. Throws what the host's handler throws.
  void step() {
    if (--left_ == 0) ask();
  }

 private:
  void ask();

  int64_t left_ = 1, interval_ = 1;
  int64_t last_ns_ = 0;
};

}  // namespace penstock::exec
