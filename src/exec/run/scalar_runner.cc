#include "exec/run/scalar_runner.h"

#include <cstring>

#include "kernels/formula.h"

namespace penstock::exec {

using kernels::Scalar;
using kernels::ScalarStep;

namespace {

// Copies of a fixed size compile to moves.
void copy(void* to, const void* from, size_t bytes) {
  switch (bytes) {
    case 8:
      std::memcpy(to, from, 8);
      break;
    case 4:
      std::memcpy(to, from, 4);
      break;
    case 2:
      std::memcpy(to, from, 2);
      break;
    default:
      std::memcpy(to, from, 1);
  }
}

}  // namespace

GroupResult run_scalars(const Scalars& scalars, char* const* bases) noexcept {
  Scalar
      registers[kMostScalarOps * (kMostScalarInputs + 1)];  // all are written before they are read
  for (const Scalars::Transfer& load : scalars.loads)
    copy(&registers[load.place], bases[load.storage] + load.offset, load.bytes);
  const ScalarStep* steps = scalars.steps.data();
  if (const ScalarStep* failed = steps->run(registers, steps); failed != nullptr) {
    const OpDef* op = scalars.ops[static_cast<size_t>(failed - steps)];
    return {op, KernelResult::invalid(op->cpu.formula->problem)};
  }
  for (const Scalars::Transfer& store : scalars.stores)
    copy(bases[store.storage] + store.offset, &registers[store.place], store.bytes);
  return {};
}

}  // namespace penstock::exec
