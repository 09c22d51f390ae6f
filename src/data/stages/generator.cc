// Generator: the elements of a source of the host, such as a Python generator.
#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/core/fits.h>

#include "data/stage_iterator.h"

namespace penstock::data {
namespace {

void infer(DatasetState& state) {
  if (state.host == nullptr) throw InvalidArgumentError("[GeneratorDataset] needs a source");
  if (state.spec.empty()) throw InvalidArgumentError("[GeneratorDataset] needs a spec");
}

// "(2, ?)", as Python writes a shape.
std::string in_python(const Shape& shape) {
  if (!shape.has_rank()) return "<unknown>";
  std::string text = "(";
  for (int i = 0; i < shape.rank(); ++i) {
    if (i > 0) text += ", ";
    text += shape[i] == kUnknownDim ? std::string("None") : cat(shape[i]);
  }
  return text + (shape.rank() == 1 ? ",)" : ")");
}

void check(const Element& element, const Spec& spec) {
  if (element.size() != spec.size())
    throw InvalidArgumentError(
        cat("TypeError: `generator` yielded an element that did not match the expected structure. "
            "The expected structure has ",
            static_cast<int64_t>(spec.size()), " components, but the yielded element has ",
            static_cast<int64_t>(element.size()), "."));
  for (size_t i = 0; i < spec.size(); ++i) {
    if (spec[i].is_dataset() != (element[i].dataset != nullptr))
      throw InvalidArgumentError(
          "TypeError: `generator` yielded an element that did not match the expected structure.");
    if (spec[i].is_dataset()) continue;
    const Tensor& tensor = element[i].tensor;
    if (tensor.dtype() != spec[i].dtype)
      throw InvalidArgumentError(cat("TypeError: `generator` yielded an element of type ",
                                     tensor.dtype(), " where an element of type ", spec[i].dtype,
                                     " was expected."));
    if (!fits(tensor.shape(), spec[i].shape))
      throw InvalidArgumentError(cat("TypeError: `generator` yielded an element of shape ",
                                     in_python(tensor.shape()), " where an element of shape ",
                                     in_python(spec[i].shape), " was expected."));
  }
}

// A position is a number of elements: a restored iterator asks a new generator for them again.
class GeneratorIterator final : public NamedIterator {
 public:
  using NamedIterator::NamedIterator;
  bool next(Element& element) override {
    if (has_ended_) return false;
    if (elements_ == nullptr) elements_ = state_->host->iterate(state_->operands);
    while (to_skip_ > 0) {
      scope_.step();
      --to_skip_;
      if (!skip(element)) return end();
    }
    ++given_;
    if (!elements_->next(element)) return end();
    check(element, state_->spec);
    return true;
  }

 private:
  // An element that fails was given, too.
  bool skip(Element& element) {
    try {
      return elements_->next(element);
    } catch (const InvalidArgumentError&) {
    } catch (const UnknownError&) {
    }
    return true;
  }
  bool end() {
    has_ended_ = true;
    elements_ = nullptr;
    return false;
  }

  void save_own(StateWriter& out) override {
    out.number(given_);
    out.number(has_ended_);
  }
  void restore_own(StateReader& in) override {
    given_ = to_skip_ = in.count(INT64_MAX);
    has_ended_ = in.count(1) != 0;
  }

  std::unique_ptr<HostSource::Elements> elements_;  // from the first element on
  int64_t given_ = 0, to_skip_ = 0;
  bool has_ended_ = false;
};

}  // namespace

extern const StageDef kGenerator;
const StageDef kGenerator = {.name = "Generator",
                             .num_inputs = 0,
                             .num_operands = kZeroOrMore,
                             .infer = infer,
                             .cardinality = [](const DatasetState&) -> int64_t { return kUnknown; },
                             .iterate = make_iterator<GeneratorIterator>};

}  // namespace penstock::data
