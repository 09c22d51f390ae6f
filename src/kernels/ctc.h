// Connectionist temporal classification: the probability that logits over time spell a label, with
// blanks between and repeats merged. Graves et al., 2006; all in logarithms.
#pragma once

#include <cstdint>

#include <penstock/core/dtype.h>

namespace penstock::kernels {

struct Ctc {
  DType dtype;  // of the logits: float32 or float64
  int64_t time, classes;
  int64_t time_stride;  // elements from one step to the next
  int64_t blank;
  bool merge_repeated = true;
};

// One item: `labels` are in [0, classes), `steps` is at most ctc.time.
struct CtcItem {
  const void* logits;
  int64_t steps;
  const int64_t* labels;
  int64_t num_labels;
};

// Doubles of scratch for an item with that many labels.
inline int64_t ctc_scratch(int64_t time, int64_t num_labels) {
  return (2 * num_labels + 1) * (time + 2) + time;
}

// The minimum number of steps for the labels.
int64_t ctc_least_steps(const Ctc& ctc, const int64_t* labels, int64_t num_labels);

// The negative logarithm of the probability; infinite if it is 0. The gradient for the logits goes
// to `gradient` (with the logits' strides) unless that is null.
double ctc_loss(const Ctc& ctc, const CtcItem& item, double* scratch, void* gradient);

}  // namespace penstock::kernels
