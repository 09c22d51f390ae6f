// The smallest user of an installed penstock: a tensor, an op, a gradient, a budget, the ledger.
#include <penstock/penstock.h>

#include <cstdio>

int main() {
  using namespace penstock;
  try {
    const Tensor x = {1.0f, 2.0f, 3.0f};
    Tape tape;
    tape.watch(x);
    const Tensor loss = reduce_sum(x * x + 1);
    const Tensor slope = tape.gradient(loss, x);
    std::printf("penstock %s\nloss  %s\nslope %s\n", PENSTOCK_VERSION, to_string(loss).c_str(),
                to_string(slope).c_str());

    memory::set_budget(1 << 20);
    try {
      zeros(DType::kFloat32, {1024, 1024});
      return 1;  // four times the budget
    } catch (const ResourceExhaustedError& error) {
      std::printf("refused, as it should be: %s", error.what());
    }
    return slope.data<float>()[2] == 6.0f ? 0 : 1;
  } catch (const Error& error) {
    std::fprintf(stderr, "consumer: %s\n", error.what());
    return 1;
  }
}
