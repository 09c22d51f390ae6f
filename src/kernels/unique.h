// Distinct elements, in the order of their first occurrence.
#pragma once

#include <string_view>

#include <penstock/core/view.h>

namespace penstock::kernels {

// Slots of the hash table that unique() needs for `count` elements, of four bytes each up to 2^31
// elements and eight beyond.
int64_t unique_slots(int64_t count);
int64_t unique_slot_bytes(int64_t count);

// Returns the text of a string: kernels do not know the layout of string blocks.
using TextOf = std::string_view (*)(StringRef) noexcept;

// Writes x's distinct elements to y and the index in y of every element to `places` (int32 or
// int64); returns their number. NaN differs from itself; the zeros are equal.
int64_t unique(const View& x, const View& y, const View& places, void* slots, TextOf text_of);

// The same for `rows` slices of x: `first` gets the positions of the distinct ones.
int64_t unique_rows(const View& x, int64_t rows, const View& first, const View& places, void* slots,
                    TextOf text_of);

// Writes x's elements that are not in `y` to `out` and their positions to `places`; returns their
// number. `slots` are for y's elements.
int64_t list_difference(const View& x, const View& y, const View& out, const View& places,
                        void* slots, TextOf text_of);

}  // namespace penstock::kernels
