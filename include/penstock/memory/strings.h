// Strings in tensors: immutable, reference-counted, counted in the ledger under kHost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <penstock/base/export.h>
#include <penstock/core/dtype.h>

namespace penstock {

// A new string with one reference. Throws ResourceExhaustedError.
PEN_API StringRef make_string(std::string_view text);
// The same with `size` characters that the caller writes to *text before anybody else sees them.
PEN_API StringRef make_string(size_t size, char** text);
PEN_API std::string_view string_text(StringRef string) noexcept;
PEN_API void retain_strings(std::span<const StringRef> strings) noexcept;
PEN_API void release_strings(std::span<const StringRef> strings) noexcept;

}  // namespace penstock
