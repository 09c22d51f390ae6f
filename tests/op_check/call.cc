#include "call.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>

#include <penstock/memory/memory.h>

namespace penstock::op_check {

uint64_t Random::next() {
  uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

double Random::uniform(double low, double high) {
  return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53;
}

namespace {

template <typename T>
T saturate(double value) {
  if (std::isnan(value)) return T(0);
  if (value <= static_cast<double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  if (value >= static_cast<double>(std::numeric_limits<T>::max()))
    return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

template <typename T>
void put(void* element, double real, double imaginary) {
  if constexpr (std::is_same_v<T, bool>) {
    *static_cast<T*>(element) = real != 0;
  } else if constexpr (std::is_integral_v<T>) {
    *static_cast<T*>(element) = saturate<T>(real);
  } else if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>) {
    using Part = typename T::value_type;
    *static_cast<T*>(element) = T(static_cast<Part>(real), static_cast<Part>(imaginary));
  } else if constexpr (std::is_same_v<T, double>) {
    *static_cast<T*>(element) = real;
  } else if constexpr (!std::is_same_v<T, StringRef>) {
    *static_cast<T*>(element) = T(static_cast<float>(real));
  }
}

uint64_t seed_of(std::string_view name, size_t number) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return hash + number;
}

double draw(const SampleInput& input, Random& random) {
  if (input.dtype == DType::kBool) return static_cast<double>(random.next() & 1);
  const bool is_unsigned = kUnsignedTypes.has(input.dtype);
  const double low = is_unsigned ? std::max(0.0, input.low) : input.low;
  const double value = random.uniform(low, std::max(input.high, low));
  return kIntTypes.has(input.dtype) ? std::floor(value) : value;
}

// Values in a random order, no two of them closer than 0.01 (1 for integers).
std::vector<double> distinct_values(const SampleInput& input, int64_t count, Random& random) {
  std::vector<double> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 0.0);
  for (size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[static_cast<size_t>(random.below(static_cast<int64_t>(i)))]);
  }
  const double least = kIntTypes.has(input.dtype) ? 1 : 0.01;
  const double spread = (input.high - input.low) / static_cast<double>(std::max<int64_t>(count, 1));
  const double step = kIntTypes.has(input.dtype) ? least : std::max(least, spread);
  for (double& value : values) value = input.low + (value + 0.5 * (least < 1 ? 1 : 0)) * step;
  return values;
}

Tensor make_strings(const SampleInput& input, Random& random) {
  const auto count = static_cast<size_t>(input.shape.num_elements());
  std::vector<std::string> texts = input.strings;
  while (input.strings.empty() && texts.size() < count) {
    std::string text(static_cast<size_t>(random.below(12)), ' ');
    for (char& c : text) c = static_cast<char>('a' + random.below(26));
    texts.push_back(std::move(text));
  }
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  return Tensor::from_strings(views, input.shape);
}

}  // namespace

void put_number(DType dtype, void* element, double real, double imaginary) {
  switch (dtype) {
#define PEN_CASE(T, enumerator) \
  case DType::enumerator:       \
    return put<T>(element, real, imaginary);
    PEN_FOR_EACH_DTYPE(PEN_CASE)
#undef PEN_CASE
    case DType::kInvalid:
      break;
  }
}

Tensor make_tensor(const SampleInput& input, Random& random) {
  if (input.dtype == DType::kString) return make_strings(input, random);
  Tensor tensor = Tensor::empty(input.dtype, input.shape, Tag::kConstant);
  const int64_t count = tensor.num_elements();
  const auto given = static_cast<int64_t>(input.values.size());
  const bool is_complex = kComplexTypes.has(input.dtype);
  if (given != 0 && given != count && !(is_complex && given == 2 * count)) {
    throw InvalidArgumentError(cat("a sample gives ", given, " values for ", describe(tensor)));
  }
  std::vector<double> values = input.values;
  if (values.empty() && input.distinct) values = distinct_values(input, count, random);
  char* element = static_cast<char*>(tensor.raw());
  for (int64_t i = 0; i < count; ++i, element += dtype_size(input.dtype)) {
    const auto at = static_cast<size_t>(given == 2 * count ? 2 * i : i);
    const double real = values.empty() ? draw(input, random) : values[at];
    double imaginary = 0;
    if (is_complex && given == 0) imaginary = draw(input, random);
    if (is_complex && given == 2 * count) imaginary = values[at + 1];
    put_number(input.dtype, element, real, imaginary);
  }
  return tensor;
}

Attr attr_of(const AttrLiteral& literal) {
  return std::visit(
      [](const auto& value) -> Attr {
        using T = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::string>) {
          return Attr(std::string_view(value));
        } else if constexpr (std::is_same_v<T, std::vector<int64_t>>) {
          return Attr(std::span<const int64_t>(value));
        } else if constexpr (std::is_same_v<T, std::monostate>) {
          return kOptionalInts;
        } else {
          return Attr(value);
        }
      },
      literal);
}

std::vector<NamedAttr> Call::attrs() const {
  std::vector<NamedAttr> named;
  for (const SampleAttr& attr : sample.attrs) named.push_back({attr.name, attr_of(attr.value)});
  // Random ops are called where their streams begin, however often that is.
  const auto is_skip = [](const auto& attr) { return attr.name == "skip"; };
  if (std::ranges::any_of(op.def->attrs, is_skip) && std::ranges::none_of(named, is_skip))
    named.push_back({"skip", Attr(0)});
  return named;
}

std::string describe(const Tensor& tensor) {
  if (!tensor.defined()) return "undefined";
  return cat(tensor.dtype(), tensor.shape());
}

std::string Call::describe() const {
  std::string text = cat(op.def->name.value, " sample ", number, ":");
  for (size_t i = 0; i < sample.inputs.size(); ++i) {
    const SampleInput& input = sample.inputs[i];
    text += cat(i == 0 ? " " : ", ", input.dtype, input.shape);
    if (op.def->input(i).host && i < inputs.size() && inputs[i].num_elements() <= 16)
      text += cat("=", inputs[i]);
  }
  for (const SampleAttr& attr : sample.attrs)
    text += cat("; ", attr.name, "=", attr_of(attr.value));
  return text;
}

Call make_call(const Op& op, size_t number, Sample sample) {
  Call call{op, number, std::move(sample), {}};
  Random random(seed_of(op.def->name, number));
  for (const SampleInput& input : call.sample.inputs)
    call.inputs.push_back(make_tensor(input, random));
  return call;
}

std::vector<Call> calls_of(const Op& op, bool for_speed) {
  std::vector<Call> calls;
  std::vector<Sample> samples = op.def->samples.value();
  for (size_t i = 0; i < samples.size(); ++i) {
    if (samples[i].for_speed == for_speed) calls.push_back(make_call(op, i, std::move(samples[i])));
  }
  return calls;
}

std::string difference(std::span<const Tensor> found, std::span<const Tensor> eager) {
  if (found.size() != eager.size()) return "it has another number of outputs";
  for (size_t i = 0; i < found.size(); ++i) {
    if (same_contents(found[i], eager[i])) continue;
    return cat("output ", i, " is ", to_string(found[i]), ", but eagerly ", to_string(eager[i]));
  }
  return "";
}

bool same_contents(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  if (a.dtype() != DType::kString)
    return std::memcmp(a.raw(), b.raw(), static_cast<size_t>(a.num_bytes())) == 0;
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    if (a.string_at(i) != b.string_at(i)) return false;
  }
  return true;
}

int64_t held_bytes() { return memory::info().current + memory::info(Tag::kForeign).current; }

}  // namespace penstock::op_check
