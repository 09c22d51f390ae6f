// ShapeTrials: a call made for many sizes of its inputs' unknown dimensions, where those of the
// probes do not say enough.
//
// A dimension of a result counts as known when it came out the same at every trial, and either each
// unknown dimension took several of the sizes that were tried (none, one, a few, large ones, and
// those next to the numbers in the call, where a rule may turn), or the op's infer says so without
// them.
#pragma once

#include <span>
#include <vector>

#include <penstock/ops/context.h>

#include "exec/trace/some_ints.h"

namespace penstock::exec {

// What two shapes have in common.
Shape in_common(const Shape& a, const Shape& b);
// Narrows what is known to what the outputs of one more call have in common with it.
void take(std::vector<OutputSpec>& known, std::span<const Tensor> outputs);

// What the op's infer says of outputs where it sees that dimensions are not known: it says only
// what is so for all sizes. `elements` says what is known of those of host inputs, one entry for
// each input; infer is asked with several values for the others. Empty for an op without an infer,
// and where it refuses the call.
std::vector<OutputSpec> what_infer_says(const OpDef& op, std::span<const Tensor* const> inputs,
                                        Attrs attrs,
                                        std::span<const std::optional<SomeInts>> elements = {});

class ShapeTrials {
 public:
  // A call with inputs of these shapes; none where it is not good, and how far it got.
  using TryCallFn = std::optional<Tensors> (*)(const OpDef& op,
                                               std::span<const Tensor* const> inputs,
                                               std::span<const Shape> shapes, Attrs attrs,
                                               size_t* progress);
  // Pre: the ranks of all inputs are known.
  ShapeTrials(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs,
              TryCallFn try_call);

  // A call that was made elsewhere, with inputs of these shapes.
  void add(std::span<const Shape> shapes, std::span<const Tensor> outputs);
  // Tries sizes near those of a call that is good: of one dimension, and of some at once.
  void vary(std::span<const Shape> shapes);
  // Looks for sizes that the op takes.
  void search();

  // Empty where no trial was good.
  std::vector<OutputSpec> known() const;

 private:
  struct Dim {
    size_t input;
    int axis;
    int64_t size = -1;       // at the first good trial
    bool is_varied = false;  // another one was good too
  };

  bool try_at(std::span<const Shape> shapes, size_t* progress = nullptr);
  template <typename Look>
  void enumerate(const Look& look, std::vector<int64_t>& sizes) const;
  // From sizes to sizes with which the call gets further, where it is made of others.
  std::vector<Shape> climb();
  bool is_settled() const;  // no trial could say less
  void vary_together(std::span<const Shape> shapes, std::span<const size_t> dims,
                     std::span<const int64_t> sizes);
  std::vector<Shape> shapes_with(std::span<const size_t> dims, std::span<const int64_t> sizes,
                                 std::span<const Shape> shapes) const;

  const OpDef& op_;
  std::span<const Tensor* const> inputs_;
  Attrs attrs_;
  TryCallFn try_call_;
  std::vector<Shape> own_;      // of the inputs
  std::vector<Dim> dims_;       // that are not known
  std::vector<int64_t> sizes_;  // to try
  std::vector<OutputSpec> known_;
  int found_ = 0;
};

}  // namespace penstock::exec
