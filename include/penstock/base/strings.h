// cat(...): joins text, numbers and anything with a to_string into one std::string, for messages.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

namespace penstock {

namespace strings_internal {

inline void append(std::string& out, std::string_view text) { out.append(text); }
inline void append(std::string& out, const char* text) { out.append(text); }
inline void append(std::string& out, bool value) { out.append(value ? "true" : "false"); }
inline void append(std::string& out, char value) { out.push_back(value); }

template <typename T>
  requires(std::is_arithmetic_v<T> && !std::same_as<T, bool> && !std::same_as<T, char>)
void append(std::string& out, T value) {
  out.append(std::to_string(value));
}

template <typename T>
  requires(!std::is_arithmetic_v<T>) && requires(const T& value) {
    { to_string(value) } -> std::convertible_to<std::string_view>;
  }
void append(std::string& out, const T& value) {
  out.append(to_string(value));
}

}  // namespace strings_internal

template <typename... Parts>
std::string cat(const Parts&... parts) {
  std::string out;
  (strings_internal::append(out, parts), ...);
  return out;
}

}  // namespace penstock
