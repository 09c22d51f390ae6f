// Json: a value read from a line of JSON. Numbers stay text, so that no digit of an int64 or of a
// double is lost; NaN and Infinity are numbers, as Python writes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace penstock::op_check {

struct JsonMember;

struct Json {
  enum class Kind { kNull, kBool, kNumber, kString, kList, kObject } kind = Kind::kNull;
  std::string text;             // a number's or a string's
  bool truth = false;           // a bool's
  std::vector<Json> items;      // a list's
  std::vector<JsonMember> map;  // an object's, in its order

  // Null when there is no such member.
  const Json* find(std::string_view name) const;
  // These throw InvalidArgumentError when the value is of another kind or out of range.
  int64_t as_int() const;
  uint64_t as_unsigned() const;
  double as_double() const;
};

struct JsonMember {
  std::string name;
  Json value;
};

// Throws InvalidArgumentError for what is no JSON. Strings hold bytes: \u00ff is byte 255.
Json parse_json(std::string_view text);

}  // namespace penstock::op_check
