// What the places that allocate tell a recording. Each is called only while is_on(), and does
// nothing when the recording ended meanwhile.
#pragma once

#include <penstock/core/dtype.h>
#include <penstock/core/shape.h>
#include <penstock/memory/buffer.h>
#include <penstock/recording/recording.h>

namespace penstock::recording {

void allocated(Buffer& buffer) noexcept;
// These come before the ledger is told.
void releasing(const Buffer& buffer) noexcept;
void resizing(Buffer& buffer, int64_t bytes) noexcept;
void retagging(Buffer& buffer, Tag tag, ledger::Owner owner) noexcept;
// What lies in the buffer, where that was not known when it was allocated.
void describe(const Buffer& buffer, DType dtype, const Shape& shape) noexcept;

}  // namespace penstock::recording
