#include "exec/v1/name_table.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include <penstock/base/strings.h>

namespace penstock::exec {
namespace {

std::string lower(std::string_view text) {
  std::string key(text);
  std::ranges::transform(key, key.begin(), [](unsigned char c) { return std::tolower(c); });
  return key;
}

struct Numbered {
  std::string_view base;
  int32_t number;
};
// The parts of "base_7".
std::optional<Numbered> parts_of(std::string_view key) {
  const size_t at = key.rfind('_');
  if (at == std::string_view::npos || at + 1 == key.size()) return std::nullopt;
  int32_t number = 0;
  const char* end = key.data() + key.size();
  const auto parsed = std::from_chars(key.data() + at + 1, end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end || number <= 0) return std::nullopt;
  return Numbered{key.substr(0, at), number};
}

}  // namespace

int32_t NameTable::text_number(std::string_view text) {
  const auto found = text_numbers_.find(text);
  if (found != text_numbers_.end()) return found->second;
  texts_.push_back({std::string(text), counter_number(lower(text))});
  const auto number = static_cast<int32_t>(texts_.size() - 1);
  text_numbers_.emplace(texts_.back().text, number);
  return number;
}

int32_t NameTable::counter_number(std::string key) {
  const auto found = counter_numbers_.find(key);
  if (found != counter_numbers_.end()) return found->second;
  const bool has_numbered = numbered_.contains(key);
  counters_.push_back({std::move(key), 0, has_numbered});
  const auto number = static_cast<int32_t>(counters_.size() - 1);
  counter_numbers_.emplace(counters_.back().key, number);
  return number;
}

bool NameTable::is_made(std::string_view key) const {
  const std::optional<Numbered> parts = parts_of(key);
  if (!parts) return false;
  const auto base = counter_numbers_.find(parts->base);
  return base != counter_numbers_.end() &&
         parts->number < counters_[static_cast<size_t>(base->second)].next;
}

bool NameTable::is_taken(std::string_view key) const {
  const auto found = counter_numbers_.find(key);
  return found != counter_numbers_.end() && counters_[static_cast<size_t>(found->second)].next > 0;
}

Name NameTable::take(std::string_view wanted) {
  const int32_t text = text_number(wanted);
  Counter& counter = counters_[static_cast<size_t>(texts_[static_cast<size_t>(text)].counter)];
  if (counter.next == 0) {
    counter.next = 1;
    if (const std::optional<Numbered> parts = parts_of(counter.key)) {
      const auto base = counter_numbers_.find(parts->base);
      if (base != counter_numbers_.end())
        counters_[static_cast<size_t>(base->second)].has_numbered = true;
      numbered_.emplace(parts->base);
    }
    if (!is_made(counter.key)) return {text, 0};
  }
  while (counter.has_numbered && is_taken(cat(counter.key, "_", counter.next))) ++counter.next;
  return {text, counter.next++};
}

std::string NameTable::next(std::string_view wanted) const {
  const std::string key = lower(wanted);
  const auto found = counter_numbers_.find(key);
  int32_t number =
      found == counter_numbers_.end() ? 0 : counters_[static_cast<size_t>(found->second)].next;
  if (number == 0 && !is_made(key)) return std::string(wanted);
  number = std::max(number, 1);
  while (is_taken(cat(key, "_", number))) ++number;
  return cat(wanted, "_", number);
}

std::string NameTable::text_of(const Name& name) const {
  const std::string& text = texts_[static_cast<size_t>(name.text)].text;
  return name.number == 0 ? text : cat(text, "_", name.number);
}

bool NameTable::is_text_of(const Name& name, std::string_view wanted) const {
  return wanted.starts_with(texts_[static_cast<size_t>(name.text)].text) && text_of(name) == wanted;
}

bool NameTable::has_node_of(std::string_view text) const {
  const auto found = text_numbers_.find(text);
  return found != text_numbers_.end() && texts_[static_cast<size_t>(found->second)].is_used;
}

Name NameTable::for_node(Name wanted) {
  if (wanted.number != 0) return wanted;
  Text& text = texts_[static_cast<size_t>(wanted.text)];
  if (text.is_used) {
    wanted = take(text.text);
    if (wanted.number != 0) return wanted;
  }
  text.is_used = true;
  return wanted;
}

}  // namespace penstock::exec
