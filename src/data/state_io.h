// The position of an iterator as bytes: numbers, texts, tensors and elements in the order in which
// the stages write them. A stage begins with its name, so that a changed pipeline is noticed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <penstock/data/element.h>

namespace penstock::data {

class StateWriter {
 public:
  void number(int64_t value) { raw(&value, sizeof(value)); }
  void text(std::string_view text);
  void tensor(const Tensor& tensor);
  // Throws UnimplementedError for an element that contains a dataset.
  void element(const Element& element);
  std::string take() { return std::move(bytes_); }

 private:
  void raw(const void* data, size_t bytes) { bytes_.append(static_cast<const char*>(data), bytes); }
  std::string bytes_;
};

// Every read throws NotFoundError where the bytes are not what was asked for.
class StateReader {
 public:
  explicit StateReader(std::string_view bytes) : rest_(bytes) {}
  int64_t number();
  // A number in [0, most].
  int64_t count(int64_t most);
  std::string_view text();
  Tensor tensor();
  void element(Element& element);
  // Throws unless the next text is this one.
  void expect(std::string_view text);
  void expect_end() const;

 private:
  std::string_view raw(size_t bytes);
  std::string_view rest_;
};

}  // namespace penstock::data
