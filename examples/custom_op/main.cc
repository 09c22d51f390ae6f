// Loads an op from a shared library, calls it, takes its gradient, and sees its errors.
#include <penstock/penstock.h>

#include <cstdio>

int main() {
  using namespace penstock;
  try {
    load_op_library(CUBE_OP_LIBRARY);
    const Tensor x = {1.0f, 2.0f, -3.0f};
    Tape tape;
    tape.watch(x);
    const Tensor y = call("Cube", {x})[0];
    const Tensor slope = tape.gradient(y, x);
    std::printf("cube  %s\nslope %s\n", to_string(y).c_str(), to_string(slope).c_str());
    if (y.data<float>()[2] != -27.0f || slope.data<float>()[1] != 12.0f) return 1;
    try {
      call("Cube", {Tensor({1, 2})});
    } catch (const TypeError& error) {
      std::printf("refused, as it should be: %s\n", error.what());
      return 0;
    }
  } catch (const Error& error) {
    std::fprintf(stderr, "custom_op: %s\n", error.what());
  }
  return 1;
}
