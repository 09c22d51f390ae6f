#include "data/items.h"

#include <utility>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>

#include "data/element.h"
#include "data/stage_iterator.h"

namespace penstock::data {

bool pull(StageIterator& input, Item& item) {
  item.error = nullptr;
  try {
    return input.next(item.element);
  } catch (...) {
    item.error = std::current_exception();
    item.element.clear();
    return true;
  }
}

void give(Item&& item, Element& element) {
  if (item.error != nullptr) std::rethrow_exception(std::exchange(item.error, nullptr));
  element = std::move(item.element);
}

namespace {

enum { kElement, kError };

constexpr int64_t kMostErrorCode = 255;

}  // namespace

void save_item(StateWriter& out, const Item& item) {
  if (item.error == nullptr) {
    out.number(kElement);
    out.element(item.element);
    return;
  }
  try {
    std::rethrow_exception(item.error);
  } catch (const Error& error) {
    out.number(kError);
    out.number(static_cast<int64_t>(error.code()));
    out.text(error.what());
  }
}

void restore_item(StateReader& in, Item& item) {
  if (in.count(kError) == kElement) {
    in.element(item.element);
    hold(item.element, 0);
    return;
  }
  const auto code = static_cast<ErrorCode>(in.count(kMostErrorCode));
  const std::string_view text = in.text();
  try {
    throw_error(code, text);
  } catch (...) {
    item.error = std::current_exception();
  }
}

void keep(Element& element) {
  for (Component& component : element) {
    const BufferRef& buffer = component.tensor.buffer();
    if (component.dataset == nullptr && buffer.is_unique() && buffer->tag != Tag::kForeign &&
        buffer->tag != Tag::kDataset)
      retag_buffer(*buffer.get(), Tag::kDataset, 0);
  }
}

void save_elements(StateWriter& out, const Elements& elements) {
  out.number(static_cast<int64_t>(elements.size()));
  for (const Element& element : elements) out.element(element);
}

void restore_elements(StateReader& in, Elements& elements) {
  const int64_t count = in.count(INT32_MAX);
  elements.clear();
  for (int64_t i = 0; i < count; ++i) {
    in.element(elements.emplace_back());
    hold(elements.back(), 0);
  }
}

Shape most_general(const Shape& a, const Shape& b) {
  if (!a.has_rank() || !b.has_rank() || a.rank() != b.rank()) return Shape::unknown_rank();
  Shape shape = a;
  for (int i = 0; i < a.rank(); ++i) {
    if (a[i] != b[i]) shape.set(i, kUnknownDim);
  }
  return shape;
}

namespace {

struct StoredElements final : Shared {
  StoredElements(ElementsRef some_elements, int64_t a_component)
      : elements(std::move(some_elements)), component(a_component) {}
  const ElementsRef elements;
  const int64_t component;
};

const StoredElements& stored_in(const DatasetState& state) {
  return static_cast<const StoredElements&>(*state.shared);
}

class StoredIterator final : public NamedIterator {
 public:
  using NamedIterator::NamedIterator;
  bool next(Element& element) override {
    const StoredElements& stored = stored_in(*state_);
    if (given_ == stored.elements->size()) return false;
    const Element& from = (*stored.elements)[given_++];
    if (stored.component == kAllComponents) {
      element = from;
    } else {
      element.clear();
      element.push_back(from[static_cast<size_t>(stored.component)]);
    }
    return true;
  }

 private:
  void save_own(StateWriter& out) override { out.number(static_cast<int64_t>(given_)); }
  void restore_own(StateReader& in) override {
    given_ =
        static_cast<size_t>(in.count(static_cast<int64_t>(stored_in(*state_).elements->size())));
  }

  size_t given_ = 0;
};

// It has no operands, and no way to make it but stored().
constexpr StageDef kStored = {.name = "Stored",
                              .num_inputs = 0,
                              .cardinality =
                                  [](const DatasetState& state) {
                                    return static_cast<int64_t>(stored_in(state).elements->size());
                                  },
                              .iterate = make_iterator<StoredIterator>};

}  // namespace

Dataset stored(ElementsRef elements, Spec spec, int64_t component) {
  auto state = std::make_shared<DatasetState>();
  state->stage = &kStored;
  state->spec = std::move(spec);
  state->shared = std::make_shared<StoredElements>(std::move(elements), component);
  return Dataset(std::move(state));
}

}  // namespace penstock::data
