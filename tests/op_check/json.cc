#include "json.h"

#include <charconv>
#include <utility>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>

namespace penstock::op_check {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Json whole() {
    Json result = value();
    skip_spaces();
    if (at_ != text_.size()) fail();
    return result;
  }

 private:
  [[noreturn]] void fail() const {
    throw InvalidArgumentError(cat("no JSON at character ", at_, ": ", text_.substr(at_, 20)));
  }
  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool takes(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  void expect(std::string_view word) {
    skip_spaces();
    if (!takes(word)) fail();
  }

  Json value() {
    skip_spaces();
    if (at_ == text_.size()) fail();
    Json result;
    switch (text_[at_]) {
      case '{':
        return object();
      case '[':
        return list();
      case '"':
        result.kind = Json::Kind::kString;
        result.text = string();
        return result;
      default:
        return word();
    }
  }

  Json word() {
    Json result;
    if (takes("null")) return result;
    if (takes("true") || takes("false")) {
      result.kind = Json::Kind::kBool;
      result.truth = text_[at_ - 2] == 'u';
      return result;
    }
    const size_t end = std::min(text_.find_first_of(",]} ", at_), text_.size());
    result.kind = Json::Kind::kNumber;
    result.text = text_.substr(at_, end - at_);
    at_ = end;
    return result;
  }

  std::string string() {
    std::string result;
    for (expect("\""); !takes("\"");) {
      if (at_ >= text_.size()) fail();
      if (!takes("\\")) {
        result += text_[at_++];
      } else if (takes("u")) {
        unsigned code = 0;
        const std::string_view digits = text_.substr(at_, 4);
        const auto [end, status] =
            std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
        if (status != std::errc() || end != digits.data() + 4 || code > 255) fail();
        result += static_cast<char>(code);
        at_ += 4;
      } else if (takes("\"") || takes("\\")) {
        result += text_[at_ - 1];
      } else if (const size_t letter = std::string_view("bfnrt").find(text_[at_]);
                 letter != std::string_view::npos) {
        result += "\b\f\n\r\t"[letter];
        ++at_;
      } else {
        fail();
      }
    }
    return result;
  }

  Json list() {
    Json result;
    result.kind = Json::Kind::kList;
    expect("[");
    skip_spaces();
    if (takes("]")) return result;
    for (;;) {
      result.items.push_back(value());
      skip_spaces();
      if (takes("]")) return result;
      expect(",");
    }
  }

  Json object() {
    Json result;
    result.kind = Json::Kind::kObject;
    expect("{");
    skip_spaces();
    if (takes("}")) return result;
    for (;;) {
      skip_spaces();
      std::string name = string();
      expect(":");
      result.map.push_back({std::move(name), value()});
      skip_spaces();
      if (takes("}")) return result;
      expect(",");
    }
  }

  std::string_view text_;
  size_t at_ = 0;
};

template <typename T>
T number(const Json& json) {
  T value{};
  const char* const end = json.text.data() + json.text.size();
  const auto [stop, status] = std::from_chars(json.text.data(), end, value);
  if (json.kind != Json::Kind::kNumber || status != std::errc() || stop != end) {
    throw InvalidArgumentError(cat("not such a number: '", json.text, "'"));
  }
  return value;
}

}  // namespace

const Json* Json::find(std::string_view name) const {
  for (const auto& [key, value] : map) {
    if (key == name) return &value;
  }
  return nullptr;
}

int64_t Json::as_int() const { return number<int64_t>(*this); }
uint64_t Json::as_unsigned() const { return number<uint64_t>(*this); }
double Json::as_double() const { return number<double>(*this); }

Json parse_json(std::string_view text) { return Parser(text).whole(); }

}  // namespace penstock::op_check
