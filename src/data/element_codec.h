// ElementCodec: an element as bytes without the parts that its spec already tells. Strings and
// unknown dimensions are written with their sizes, everything else as it lies in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <penstock/data/element.h>

namespace penstock::data {

class ElementCodec {
 public:
  explicit ElementCodec(const Spec& spec);

  // Whether elements are tensors only: a dataset cannot be written.
  bool has_bytes() const { return has_bytes_; }
  // The bytes of every element; kUnknownBytes if they vary.
  int64_t fixed_bytes() const { return fixed_bytes_; }
  const Spec& spec() const { return spec_; }

  // Throws InvalidArgumentError if the element is not of the spec.
  void check(const Element& element) const;
  // Pre: checked.
  int64_t bytes_of(const Element& element) const;
  // The same for an element of which only shapes are known: kUnknownBytes if that is not enough.
  int64_t bytes_of(const Spec& known) const;
  void write(const Element& element, char* to) const;
  // Replaces *element; its tensors are new. Throws DataLossError for bytes that write() never gives.
  void read(std::string_view bytes, Element& element) const;
  // Uninitialised tensors for an element of fixed size.
  void make_room(Element& element) const;

 private:
  const Spec spec_;
  bool has_bytes_ = true;
  int64_t fixed_bytes_ = 0;
};

}  // namespace penstock::data
