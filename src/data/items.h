// Items: elements, or the errors in their place, while a stage keeps them.
#pragma once

#include <exception>
#include <memory>
#include <vector>

#include <penstock/data/dataset.h>

#include "data/stage.h"
#include "data/state_io.h"

namespace penstock::data {

struct Item {
  Element element;
  std::exception_ptr error;  // null for an element
};

// Replaces *item by the next element of `input`, or by its error. False at the end.
bool pull(StageIterator& input, Item& item);
// Moves the element out, or throws the error.
void give(Item&& item, Element& element);

// An error is saved with its code and text. Throws one that is no Error of Penstock.
void save_item(StateWriter& out, const Item& item);
void restore_item(StateReader& in, Item& item);

// Books what nobody else holds under `dataset`. Memory that is shared stays as it is: who shares it
// has booked it.
void keep(Element& element);

using Elements = std::vector<Element>;
using ElementsRef = std::shared_ptr<const Elements>;

// A dataset of elements in memory: all components, or one of them.
inline constexpr int64_t kAllComponents = -1;
Dataset stored(ElementsRef elements, Spec spec, int64_t component = kAllComponents);

void save_elements(StateWriter& out, const Elements& elements);
void restore_elements(StateReader& in, Elements& elements);

// The shape that both have, as far as they agree.
Shape most_general(const Shape& a, const Shape& b);

}  // namespace penstock::data
