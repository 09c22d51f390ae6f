// Elements in memory: who holds their bytes.
#pragma once

#include <cstdint>

#include <penstock/data/element.h>
#include <penstock/ledger/ledger.h>

namespace penstock::data {

int64_t bytes_of(const Element& element);

// Copies `count` values; strings are shared.
void copy_values(DType dtype, void* to, const void* from, int64_t count) noexcept;

// Makes the element's tensors those of a buffer: booked under `dataset`, and each the only user of
// its memory. Tensors that share memory with others are copied.
void hold(Element& element, ledger::Owner owner);
// Makes them the user's: booked as results. A slice of a larger tensor is copied.
void hand_over(Element& element);

}  // namespace penstock::data
