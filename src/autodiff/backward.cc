#include "autodiff/backward.h"

#include <algorithm>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/ops/grad_helpers.h>

namespace penstock::autodiff {
namespace {

using Flags = std::vector<bool, Counted<bool>>;

// The ids that depend on a source, and the records that lead there.
struct Reach {
  IdMap<bool> ids;
  Flags records;
};

// A source that the tape does not follow has no gradient, even if recorded calls use it.
Reach reach_of(TapeState& tape, std::span<const Source> sources) {
  Reach reach;
  for (const Source& source : sources) {
    if (tape.known.has(source.id)) reach.ids.set(source.id, true);
  }
  reach.records.resize(tape.records.size());
  for (size_t i = 0; i < tape.records.size(); ++i) {
    const Record& record = tape.records[i];
    const bool leads = std::any_of(record.inputs.begin(), record.inputs.end(),
                                   [&](const Tensor& input) { return reach.ids.has(input.id()); });
    if (!leads) continue;
    reach.records[i] = true;
    for (const Tensor& output : record.outputs) reach.ids.set(output.id(), true);
  }
  return reach;
}

// The gradients so far, by the id of their tensor or variable.
class Sums {
 public:
  Gradient* find(uint64_t id) {
    const size_t* index = places_.find(id);
    return index == nullptr ? nullptr : &sums_[*index];
  }
  void add(uint64_t id, Gradient gradient) {
    if (Gradient* sum = find(id)) {
      if (sum->defined()) {
        sum->add(gradient);
      } else {
        *sum = std::move(gradient);
      }
      return;
    }
    sums_.push_back(std::move(gradient));
    places_.set(id, sums_.size() - 1);
  }

 private:
  IdMap<size_t> places_;
  std::vector<Gradient, Counted<Gradient>> sums_;
};

std::string_view name_of(const Record& record) {
  return record.op != nullptr ? std::string_view(record.op->name) : "custom gradient";
}

// Computes the gradients at a record's inputs from those at its outputs.
Gradients input_gradients(const Record& record, std::span<const Gradient> dys, uint64_t needed) {
  if (record.op != nullptr) {
    return record.op->grad.value(
        GradContext(*record.op, record.inputs, record.outputs, record.attrs.view(), dys, needed));
  }
  std::vector<Tensor> dense;
  for (size_t i = 0; i < dys.size(); ++i) {
    dense.push_back(dys[i].defined() ? dys[i].dense() : zeros_like(record.outputs[i]));
  }
  const std::vector<Gradient> gradients = (*record.backward)(dense);
  if (gradients.size() != record.inputs.size()) {
    throw InvalidArgumentError(cat("[custom gradient] gave ", gradients.size(), " gradients for ",
                                   record.inputs.size(), " inputs"));
  }
  return Gradients(gradients.begin(), gradients.end());
}

void check_gradient(const Record& record, const Tensor& input, const Gradient& gradient) {
  if (gradient.dense_shape() == input.shape() && gradient.values().dtype() == input.dtype()) return;
  throw InvalidArgumentError(cat("[", name_of(record), "] its gradient of shape ",
                                 gradient.dense_shape(), " and dtype ", gradient.values().dtype(),
                                 " does not fit an input of shape ", input.shape(), " and dtype ",
                                 input.dtype()));
}

class Walk {
 public:
  Walk(TapeState& tape, std::span<const Source> sources)
      : tape_(tape), reach_(reach_of(tape, sources)), sources_(sources) {}

  void add(uint64_t id, Gradient gradient) { sums_.add(id, std::move(gradient)); }

  std::vector<Gradient> run() {
    for (size_t i = reach_.records.size(); i-- > 0;) {
      if (reach_.records[i]) step(i);
      if (!tape_.options.persistent) tape_.records[i] = Record();
    }
    std::vector<Gradient> gradients;
    for (const Source& source : sources_) {
      const Gradient* sum = sums_.find(source.id);
      gradients.push_back(sum == nullptr ? Gradient() : *sum);
    }
    return gradients;
  }

 private:
  // Indexed, because a persistent tape may record while this runs.
  void step(size_t i) {
    SmallVector<Gradient, 1> dys;
    bool arrives = false;
    for (const Tensor& output : tape_.records[i].outputs) {
      dys.push_back(take(output.id()));
      arrives = arrives || dys.back().defined();
    }
    if (!arrives) return;
    // Copies the record only if the tape keeps recording: its records may move meanwhile.
    Record record;
    if (tape_.options.persistent) {
      record = copy_of(tape_.records[i]);
    } else {
      record = std::move(tape_.records[i]);
    }
    uint64_t needed = 0;
    for (size_t k = 0; k < record.inputs.size() && k < 64; ++k) {
      if (reach_.ids.has(record.inputs[k].id())) needed |= uint64_t{1} << k;
    }
    Gradients gradients = input_gradients(record, dys, needed);
    dys.clear();
    for (size_t k = 0; k < gradients.size(); ++k) {
      const Tensor& input = record.inputs[k];
      if (!gradients[k].defined() || !reach_.ids.has(input.id())) continue;
      check_gradient(record, input, gradients[k]);
      sums_.add(input.id(), std::move(gradients[k]));
    }
  }

  // Returns the gradient at an output and drops it, unless it was requested.
  Gradient take(uint64_t id) {
    Gradient* sum = sums_.find(id);
    if (sum == nullptr) return {};
    const bool is_source = std::any_of(sources_.begin(), sources_.end(),
                                       [&](const Source& source) { return source.id == id; });
    return is_source ? *sum : std::exchange(*sum, Gradient());
  }

  TapeState& tape_;
  Reach reach_;
  std::span<const Source> sources_;
  Sums sums_;
};

}  // namespace

std::vector<bool, Counted<bool>> records_from(TapeState& tape, std::span<const Source> sources) {
  return std::move(reach_of(tape, sources).records);
}

std::vector<Gradient> run_backward(TapeState& tape, std::span<const Tensor> targets,
                                   std::span<const Source> sources, std::span<const Tensor> dys) {
  const TagScope tag(Tag::kGradient);
  Walk walk(tape, sources);
  for (size_t i = 0; i < targets.size(); ++i) {
    if (!is_differentiable(targets[i].dtype())) continue;
    walk.add(targets[i].id(), dys.empty() ? ones_like(targets[i]) : dys[i]);
  }
  return walk.run();
}

}  // namespace penstock::autodiff
