// NameTable: which names of a graph are taken. A name that is taken already gets a number, as in
// TensorFlow: "add", "add_1", "add_2". Names that differ in case only count as one.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace penstock::exec {

// A name: a text, and for all but the first that had it a number. Texts are kept once.
struct Name {
  int32_t text = 0;
  int32_t number = 0;
};

class NameTable {
 public:
  // Takes a name: the one wanted, or the next one with a number.
  Name take(std::string_view wanted);
  // What `take` would give.
  std::string next(std::string_view wanted) const;
  // A name as it is, which somebody has taken.
  Name as_it_is(std::string_view text) { return {text_number(text), 0}; }
  std::string text_of(const Name& name) const;
  // Whether that is what the name says.
  bool is_text_of(const Name& name, std::string_view wanted) const;

  // Whether a node has that text for its name, and no number.
  bool has_node_of(std::string_view text) const;
  // The name of a new node; another one where a node has that already.
  Name for_node(Name wanted);

 private:
  struct Text {
    std::string text;
    int32_t counter;       // of the texts that are the same but for their case
    bool is_used = false;  // by a node, without a number
  };
  struct Counter {
    std::string key;            // in lower case
    int32_t next = 0;           // 0: not taken yet
    bool has_numbered = false;  // "key_7" was asked for by that name
  };

  int32_t text_number(std::string_view text);
  int32_t counter_number(std::string key);
  // Whether a number has made this of another name.
  bool is_made(std::string_view key) const;
  bool is_taken(std::string_view key) const;

  std::deque<Text> texts_;
  std::unordered_map<std::string_view, int32_t> text_numbers_;
  std::deque<Counter> counters_;
  std::unordered_map<std::string_view, int32_t> counter_numbers_;
  std::unordered_set<std::string> numbered_;  // "key" for every "key_7" that was asked for
};

}  // namespace penstock::exec
