// ShapeTrials: makes a call for many sizes of its inputs' unknown dimensions, if the probes are
// inconclusive.
//
// A dimension of a result is known if it came out the same in every trial, and either each unknown
// dimension took several of the sizes tried (zero, one, a few, large ones, and those next to the
// numbers in the call, where a rule may change), or the op's infer returns it without them.
#pragma once

#include <span>
#include <vector>

#include <penstock/ops/context.h>

#include "exec/trace/some_ints.h"

namespace penstock::exec {

// The common part of two shapes.
Shape in_common(const Shape& a, const Shape& b);
// Narrows `known` to its common part with the outputs of one more call.
void take(std::vector<OutputSpec>& known, std::span<const Tensor> outputs);

// The outputs from the op's infer, called with unknown dimensions: it returns only what holds for
// all sizes. `elements` has the known elements of host inputs, one entry per input; infer is called
// with several values for the others. Empty for an op without infer, and if it rejects the call.
std::vector<OutputSpec> what_infer_says(const OpDef& op, std::span<const Tensor* const> inputs,
                                        Attrs attrs,
                                        std::span<const std::optional<SomeInts>> elements = {});

class ShapeTrials {
 public:
  // A call with inputs of these shapes; none if it fails, and how far it got.
  using TryCallFn = std::optional<Tensors> (*)(const OpDef& op,
                                               std::span<const Tensor* const> inputs,
                                               std::span<const Shape> shapes, Attrs attrs,
                                               size_t* progress);
  // Pre: the ranks of all inputs are known.
  ShapeTrials(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs,
              TryCallFn try_call);

  // Adds a call that was made elsewhere, with inputs of these shapes.
  void add(std::span<const Shape> shapes, std::span<const Tensor> outputs);
  // Tries sizes near those of a successful call: of one dimension, and of several at once.
  void vary(std::span<const Shape> shapes);
  // Searches for sizes that the op accepts.
  void search();

  // Empty if no trial succeeded.
  std::vector<OutputSpec> known() const;

 private:
  struct Dim {
    size_t input;
    int axis;
    int64_t size = -1;       // at the first successful trial
    bool is_varied = false;  // another size succeeded too
  };

  bool try_at(std::span<const Shape> shapes, size_t* progress = nullptr);
  template <typename Look>
  void enumerate(const Look& look, std::vector<int64_t>& sizes) const;
  // Moves to sizes with which a composed call gets further.
  std::vector<Shape> climb();
  bool is_settled() const;  // further trials cannot reduce what is known
  void vary_together(std::span<const Shape> shapes, std::span<const size_t> dims,
                     std::span<const int64_t> sizes);
  std::vector<Shape> shapes_with(std::span<const size_t> dims, std::span<const int64_t> sizes,
                                 std::span<const Shape> shapes) const;

  const OpDef& op_;
  std::span<const Tensor* const> inputs_;
  Attrs attrs_;
  TryCallFn try_call_;
  std::vector<Shape> own_;      // of the inputs
  std::vector<Dim> dims_;       // the unknown ones
  std::vector<int64_t> sizes_;  // to try
  std::vector<OutputSpec> known_;
  int found_ = 0;
};

}  // namespace penstock::exec
