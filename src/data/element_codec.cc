#include "data/element_codec.h"

#include <cstring>
#include <string>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/core/fits.h>
#include <penstock/memory/strings.h>

#include "data/element.h"

namespace penstock::data {
namespace {

// Sizes are written seven bits at a time, the lowest first; the top bit says that more follow.
int64_t bytes_of_size(uint64_t size) {
  int64_t bytes = 1;
  for (; size >= 0x80; size >>= 7) ++bytes;
  return bytes;
}

char* write_size(uint64_t size, char* to) {
  for (; size >= 0x80; size >>= 7) *to++ = static_cast<char>(size | 0x80);
  *to++ = static_cast<char>(size);
  return to;
}

[[noreturn]] void fail_damaged() {
  throw DataLossError("a stored element is damaged: its bytes do not fit the dataset");
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  std::string_view raw(uint64_t bytes) {
    if (bytes > rest_.size()) fail_damaged();
    const std::string_view part = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return part;
  }
  uint64_t size() {
    uint64_t size = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      const auto byte = static_cast<unsigned char>(raw(1)[0]);
      size |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return size;
    }
    fail_damaged();
  }
  size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
};

// The sizes that the spec leaves open are written in front of the values.
template <typename Visit>
void for_each_open_size(const ComponentSpec& spec, const Shape& shape, Visit visit) {
  if (!spec.shape.has_rank()) visit(static_cast<uint64_t>(shape.rank()));
  for (int i = 0; i < shape.rank(); ++i) {
    if (!spec.shape.has_rank() || spec.shape[i] == kUnknownDim)
      visit(static_cast<uint64_t>(shape[i]));
  }
}

Shape read_shape(const ComponentSpec& spec, Reader& in) {
  if (spec.shape.is_known()) return spec.shape;
  Shape shape = spec.shape;
  if (!shape.has_rank()) {
    const uint64_t rank = in.size();
    if (rank > kMaxRank) fail_damaged();
    shape = Shape{};
    for (uint64_t i = 0; i < rank; ++i) shape.append(kUnknownDim);
  }
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] == kUnknownDim) shape.set(i, static_cast<int64_t>(in.size()));
  }
  return shape;
}

}  // namespace

ElementCodec::ElementCodec(const Spec& spec) : spec_(spec), fixed_bytes_(data::bytes_of(spec)) {
  for (const ComponentSpec& component : spec_) has_bytes_ = has_bytes_ && !component.is_dataset();
}

void ElementCodec::check(const Element& element) const {
  bool is_same = element.size() == spec_.size();
  for (size_t i = 0; is_same && i < spec_.size(); ++i) {
    if (spec_[i].is_dataset()) continue;
    const Tensor& tensor = element[i].tensor;
    is_same = element[i].dataset == nullptr && tensor.dtype() == spec_[i].dtype &&
              fits(tensor.shape(), spec_[i].shape);
  }
  if (is_same) return;
  std::string found;
  for (const Component& component : element) {
    if (!found.empty()) found += ", ";
    found += component.dataset != nullptr ? std::string("dataset")
                                          : cat(component.tensor.dtype(), component.tensor.shape());
  }
  throw InvalidArgumentError(
      cat("an element (", found, ") is not of the dataset's element_spec ", spec_));
}

int64_t ElementCodec::bytes_of(const Element& element) const {
  if (fixed_bytes_ != kUnknownBytes) return fixed_bytes_;
  int64_t sum = 0;
  for (size_t i = 0; i < spec_.size(); ++i) {
    const Tensor& tensor = element[i].tensor;
    for_each_open_size(spec_[i], tensor.shape(),
                       [&](uint64_t size) { sum += bytes_of_size(size); });
    if (tensor.dtype() != DType::kString) {
      sum += tensor.num_bytes();
      continue;
    }
    for (const StringRef each : tensor.data<StringRef>()) {
      const size_t size = string_text(each).size();
      sum += bytes_of_size(size) + static_cast<int64_t>(size);
    }
  }
  return sum;
}

int64_t ElementCodec::bytes_of(const Spec& known) const {
  int64_t sum = data::bytes_of(known);
  if (sum == kUnknownBytes) return kUnknownBytes;
  for (size_t i = 0; i < spec_.size(); ++i)
    for_each_open_size(spec_[i], known[i].shape,
                       [&](uint64_t size) { sum += bytes_of_size(size); });
  return sum;
}

void ElementCodec::write(const Element& element, char* to) const {
  const auto append = [&to](const void* from, size_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);
    to += bytes;
  };
  for (size_t i = 0; i < spec_.size(); ++i) {
    const Tensor& tensor = element[i].tensor;
    for_each_open_size(spec_[i], tensor.shape(), [&](uint64_t size) { to = write_size(size, to); });
    if (tensor.dtype() != DType::kString) {
      append(tensor.raw(), static_cast<size_t>(tensor.num_bytes()));
      continue;
    }
    for (const StringRef each : tensor.data<StringRef>()) {
      const std::string_view text = string_text(each);
      to = write_size(text.size(), to);
      append(text.data(), text.size());
    }
  }
}

void ElementCodec::read(std::string_view bytes, Element& element) const {
  element.clear();
  Reader in(bytes);
  for (const ComponentSpec& component : spec_) {
    const Shape shape = read_shape(component, in);
    if (component.dtype != DType::kString) {
      const std::string_view values =
          in.raw(static_cast<uint64_t>(shape.num_bytes(dtype_size(component.dtype))));
      Tensor tensor = Tensor::empty(component.dtype, shape);
      if (!values.empty()) std::memcpy(tensor.raw(), values.data(), values.size());
      element.push_back(std::move(tensor));
      continue;
    }
    if (static_cast<uint64_t>(shape.num_elements()) > in.left()) fail_damaged();
    Tensor tensor = Tensor::empty(component.dtype, shape);
    auto* const strings = static_cast<StringRef*>(tensor.raw());
    for (int64_t i = 0; i < shape.num_elements(); ++i) strings[i] = make_string(in.raw(in.size()));
    element.push_back(std::move(tensor));
  }
  if (in.left() != 0) fail_damaged();
}

void ElementCodec::make_room(Element& element) const {
  element.clear();
  for (const ComponentSpec& component : spec_)
    element.push_back(Tensor::empty(component.dtype, component.shape));
}

}  // namespace penstock::data
