// Call: a sample made into tensors, ready to run. The same op and number always give the same
// values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/ops/registry.h>
#include <penstock/ops/sample.h>

#include "op_check.h"

namespace penstock::op_check {

// Small, fast and the same everywhere (SplitMix64).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next();
  // In [0, n). Pre: n > 0.
  int64_t below(int64_t n) { return static_cast<int64_t>(next() % static_cast<uint64_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }
  // In [low, high).
  double uniform(double low, double high);

 private:
  uint64_t state_;
};

struct Call {
  Op op;
  size_t number;  // of the sample in its op's list
  Sample sample;
  std::vector<Tensor> inputs;

  // They point into `sample`.
  std::vector<NamedAttr> attrs() const;
  Tensors run() const { return call(*op.def, inputs, attrs()); }
  Tensors run(std::span<const Tensor> other_inputs) const {
    return call(*op.def, other_inputs, attrs());
  }
  // "AddV2 sample 3: float32[2,3], float32[3]; axis=1"
  std::string describe() const;
};

// Throws InvalidArgumentError for a sample that cannot be made.
Call make_call(const Op& op, size_t number, Sample sample);
// Every sample of an op but those for speed (or only those).
std::vector<Call> calls_of(const Op& op, bool for_speed = false);

Tensor make_tensor(const SampleInput& input, Random& random);
// Writes a number as an element, saturated to the dtype's range. Pre: not a string.
void put_number(DType dtype, void* element, double real, double imaginary);
Attr attr_of(const AttrLiteral& literal);
// "float32[2,3]"
std::string describe(const Tensor& tensor);

// Bit for bit.
bool same_contents(const Tensor& a, const Tensor& b);
// How outputs differ from those of eager calls; empty where they do not.
std::string difference(std::span<const Tensor> found, std::span<const Tensor> eager);
// What device 0 holds now, foreign bytes included.
int64_t held_bytes();

}  // namespace penstock::op_check
