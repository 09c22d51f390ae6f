// ShapeProbes: infers shapes while a function with open shapes is traced.
//
// A probe is a separate trace in which every unknown dimension has a size. Every call on the
// function's tensors is also traced in all probes, where shapes are known, and with them the values
// that programs compute from shapes. A dimension that comes out the same in every probe is known. A
// call that fails in a probe (3 columns do not fit a matrix of 4 rows) ends there, and the results
// of the other probes must pass more trials (shape_trials.h).
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "exec/trace/open_shapes.h"

namespace penstock::exec {

class ShapeProbes final : public OpenShapes {
 public:
  // Zero, one for broadcasting, a small size for bounds, and two that many numbers divide; with
  // those the unknown dimensions of inputs differ from each other.
  static constexpr std::array<int64_t, kCount> kSizes = {0, 1, 6, 20160, 40320};

  ShapeProbes();
  ~ShapeProbes() override;
  static std::unique_ptr<OpenShapes> make() { return std::make_unique<ShapeProbes>(); }

  // Each probe gives unknown dimensions a size.
  void add(ValueId value, DType dtype, const Shape& shape, bool is_input = false) override;
  void add_like(ValueId value, ValueId other) override;
  void add(ValueId first, const Outcome& outcome) override;
  bool knows(ValueId value) const override { return values_.contains(value); }

  // A call with inputs of these shapes, in its own trace; none if it fails, and how far it got.
  static std::optional<Tensors> try_call(const OpDef& op, std::span<const Tensor* const> inputs,
                                         std::span<const Shape> shapes, Attrs attrs,
                                         size_t* progress = nullptr);

  Outcome call(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs,
               std::span<const std::optional<SomeInts>> elements = {}) override;

 private:
  struct Probe;
  using PerProbe = std::array<Tensor, kCount>;

  // The outcome of a call in the probes, with trials if they are inconclusive.
  Outcome sample(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs);
  // The outputs of a composed op, traced with its unknown dimensions. Pre: kComposesOpen.
  static std::vector<OutputSpec> what_parts_say(const OpDef& op,
                                                std::span<const Tensor* const> inputs, Attrs attrs);
  // Merges what infer returned for unknown dimensions.
  static void add_said(Outcome& outcome, std::span<const OutputSpec> said);
  // The tensor in a probe: itself if it is not symbolic; null if the probe has none.
  const Tensor* tensor_in(size_t probe, const Tensor& tensor);
  std::optional<Tensors> call_in(size_t probe, const OpDef& op,
                                 std::span<const Tensor* const> inputs, Attrs attrs);
  // The outputs of a call for inputs of many shapes, if a rank is unknown.
  static std::vector<OutputSpec> try_ranks(const OpDef& op, std::span<const Tensor* const> inputs,
                                           Attrs attrs);
  // Whether a call can be tried with any sizes: no value depends on them.
  static bool can_try(const OpDef& op, std::span<const Tensor* const> inputs);
  // Drops values that hold only for the sizes of the probes.
  void forget_values(Outcome& outcome);
  // Verifies the results of some probes when the call fails in others.
  void settle(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs,
              Outcome& outcome);

  // At least the dtypes of the outputs, from infer with unknown shapes.
  static std::vector<OutputSpec> ask_op(const OpDef& op, std::span<const Tensor* const> inputs,
                                        Attrs attrs);

  std::array<std::unique_ptr<Probe>, kCount> probes_;
  std::unordered_map<ValueId, PerProbe> values_;
  int64_t num_dims_ = 0;  // unknown dimensions of inputs
};

}  // namespace penstock::exec
