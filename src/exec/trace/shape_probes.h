// ShapeProbes: what can be said of shapes while a function is traced whose sizes are not all known.
//
// A probe is a trace of its own, in which every unknown dimension has a size. What is called on
// tensors of the function is traced in all probes as well, where shapes are known, and with them
// the values that programs compute from shapes. A dimension that comes out the same in every probe
// is known; a call that is no good in a probe (3 columns do not fit a matrix of 4 rows) ends there,
// and what the others say of it has to stand more trials (shape_trials.h).
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
  // None, one for broadcasting, a small one for bounds, and two that many numbers divide: in these
  // the unknown dimensions of inputs differ from each other.
  static constexpr std::array<int64_t, kCount> kSizes = {0, 1, 6, 20160, 40320};

  ShapeProbes();
  ~ShapeProbes() override;
  static std::unique_ptr<OpenShapes> make() { return std::make_unique<ShapeProbes>(); }

  // Each probe gives unknown dimensions a size.
  void add(ValueId value, DType dtype, const Shape& shape, bool is_input = false) override;
  void add_like(ValueId value, ValueId other) override;
  void add(ValueId first, const Outcome& outcome) override;
  bool knows(ValueId value) const override { return values_.contains(value); }

  // A call with inputs of these shapes, in a trace of its own; none where it is not good, and how
  // far it got.
  static std::optional<Tensors> try_call(const OpDef& op, std::span<const Tensor* const> inputs,
                                         std::span<const Shape> shapes, Attrs attrs,
                                         size_t* progress = nullptr);

  Outcome call(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs,
               std::span<const std::optional<SomeInts>> elements = {}) override;

 private:
  struct Probe;
  using PerProbe = std::array<Tensor, kCount>;

  // What the probes say of a call, and trials where they do not say enough.
  Outcome sample(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs);
  // What comes of an op that is made of others, traced with the unknown dimensions that it has.
  // Pre: kComposesOpen.
  static std::vector<OutputSpec> what_parts_say(const OpDef& op,
                                                std::span<const Tensor* const> inputs, Attrs attrs);
  // Adds what was said of unknown dimensions.
  static void add_said(Outcome& outcome, std::span<const OutputSpec> said);
  // The tensor in a probe: itself when it is no symbol; null where there is none.
  const Tensor* tensor_in(size_t probe, const Tensor& tensor);
  std::optional<Tensors> call_in(size_t probe, const OpDef& op,
                                 std::span<const Tensor* const> inputs, Attrs attrs);
  // What a call gives for inputs of all kinds of shapes: where a rank is not known.
  static std::vector<OutputSpec> try_ranks(const OpDef& op, std::span<const Tensor* const> inputs,
                                           Attrs attrs);
  // Whether a call can be tried with any sizes: its values do not go with them.
  static bool can_try(const OpDef& op, std::span<const Tensor* const> inputs);
  // Values that only sizes like those of the probes have.
  void forget_values(Outcome& outcome);
  // Makes sure of what some probes say, where others do not take the call.
  void settle(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs,
              Outcome& outcome);

  // The dtypes of its outputs at least, from what the op says of shapes that are not known.
  static std::vector<OutputSpec> ask_op(const OpDef& op, std::span<const Tensor* const> inputs,
                                        Attrs attrs);

  std::array<std::unique_ptr<Probe>, kCount> probes_;
  std::unordered_map<ValueId, PerProbe> values_;
  int64_t num_dims_ = 0;  // of inputs, that are not known
};

}  // namespace penstock::exec
