// parse_number: numbers written in text.
#pragma once

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace penstock {
namespace parse_internal {

inline std::string_view trimmed(std::string_view string) {
  constexpr std::string_view kSpace(" \t\n\v\f\r");
  string.remove_prefix(std::min(string.find_first_not_of(kSpace), string.size()));
  return string.substr(0, string.find_last_not_of(kSpace) + 1);
}

// The value of a number that its dtype cannot hold: infinity, or zero if it is too small.
template <typename T>
T beyond(std::string_view digits) {
  const size_t exponent = digits.find_first_of("eEpP");
  if (exponent != std::string_view::npos) {
    return digits.substr(exponent + 1).starts_with('-') ? T(0) : std::numeric_limits<T>::infinity();
  }
  const size_t first = digits.find_first_not_of("0.");
  return digits.find('.') < first ? T(0) : std::numeric_limits<T>::infinity();
}

template <typename T>
bool parse_float(std::string_view digits, T* value) {
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  const bool hex = digits.starts_with("0x") || digits.starts_with("0X");
  if (hex) digits.remove_prefix(2);
  if (digits.empty() || digits[0] == '-') return false;
  const char* end = digits.data() + digits.size();
  const auto format = hex ? std::chars_format::hex : std::chars_format::general;
  const auto result = std::from_chars(digits.data(), end, *value, format);
  if (result.ec == std::errc::invalid_argument || result.ptr != end) return false;
  if (result.ec == std::errc::result_out_of_range) *value = beyond<T>(digits);
  if (negative) *value = -*value;
  return true;
}

}  // namespace parse_internal

// Reads the number that all of the text spells, but for space around it; false if it spells none.
template <typename T>
bool parse_number(std::string_view string, T* value) {
  std::string_view digits = parse_internal::trimmed(string);
  if constexpr (std::is_floating_point_v<T>) {
    return parse_internal::parse_float(digits, value);
  } else {
    if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
    const char* end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, *value);
    return result.ec == std::errc() && result.ptr == end && !digits.empty();
  }
}

}  // namespace penstock
