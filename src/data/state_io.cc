#include "data/state_io.h"

#include <cstring>
#include <vector>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>

namespace penstock::data {
namespace {

[[noreturn]] void fail(std::string_view why) {
  throw NotFoundError(cat("Failed to restore dataset iterator from checkpoint: ", why,
                          ". Make sure the dataset definition has not changed between the process "
                          "that saved the checkpoint and the process that is restoring it."));
}

}  // namespace

void StateWriter::text(std::string_view text) {
  number(static_cast<int64_t>(text.size()));
  raw(text.data(), text.size());
}

void StateWriter::tensor(const Tensor& tensor) {
  number(static_cast<int64_t>(tensor.dtype()));
  number(tensor.rank());
  for (const int64_t dim : tensor.shape()) number(dim);
  if (tensor.dtype() == DType::kString) {
    for (int64_t i = 0; i < tensor.num_elements(); ++i) text(tensor.string_at(i));
  } else {
    raw(tensor.raw(), static_cast<size_t>(tensor.num_bytes()));
  }
}

void StateWriter::element(const Element& element) {
  number(static_cast<int64_t>(element.size()));
  for (const Component& component : element) {
    if (component.dataset != nullptr)
      throw UnimplementedError("an iterator that holds elements with datasets cannot be saved");
    tensor(component.tensor);
  }
}

std::string_view StateReader::raw(size_t bytes) {
  if (bytes > rest_.size()) fail("its state ends too early");
  const std::string_view part = rest_.substr(0, bytes);
  rest_.remove_prefix(bytes);
  return part;
}

int64_t StateReader::number() {
  int64_t value;
  std::memcpy(&value, raw(sizeof(value)).data(), sizeof(value));
  return value;
}

int64_t StateReader::count(int64_t most) {
  const int64_t value = number();
  if (value < 0 || value > most) fail(cat("it contains ", value, " where at most ", most, " fit"));
  return value;
}

std::string_view StateReader::text() {
  return raw(static_cast<size_t>(count(static_cast<int64_t>(rest_.size()))));
}

void StateReader::expect(std::string_view expected) {
  const std::string_view found = text();
  if (found != expected) fail(cat("it is of a stage ", found, ", not ", expected));
}

void StateReader::expect_end() const {
  if (!rest_.empty()) fail("its state goes on");
}

Tensor StateReader::tensor() {
  const auto dtype = static_cast<DType>(count(kNumDTypes - 1));
  if (dtype == DType::kInvalid) fail("it contains a tensor without a dtype");
  std::vector<int64_t> dims(static_cast<size_t>(count(kMaxRank)));
  for (int64_t& dim : dims) dim = count(INT64_MAX);
  const Shape shape{std::span<const int64_t>(dims)};
  if (dtype == DType::kString) {
    const int64_t elements = shape.num_elements();
    if (elements > static_cast<int64_t>(rest_.size() / sizeof(int64_t)))
      fail("its state ends too early");
    std::vector<std::string_view> texts(static_cast<size_t>(elements));
    for (std::string_view& each : texts) each = text();
    return Tensor::from_strings(texts, shape);
  }
  const std::string_view data = raw(static_cast<size_t>(shape.num_bytes(dtype_size(dtype))));
  Tensor tensor = Tensor::empty(dtype, shape);
  if (!data.empty()) std::memcpy(tensor.raw(), data.data(), data.size());
  return tensor;
}

void StateReader::element(Element& element) {
  element.clear();
  const int64_t components = count(static_cast<int64_t>(rest_.size()));
  for (int64_t i = 0; i < components; ++i) element.push_back(tensor());
}

}  // namespace penstock::data
