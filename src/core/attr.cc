#include <penstock/core/attr.h>

#include <algorithm>
#include <cstring>

namespace penstock {

constinit const int64_t kNotGiven[1] = {INT64_MIN};

std::string to_string(const Attr& attr) {
  switch (attr.kind()) {
    case AttrKind::kNone:
      return "none";
    case AttrKind::kInt:
      return std::to_string(attr.as_int());
    case AttrKind::kFloat:
      return std::to_string(attr.as_float());
    case AttrKind::kBool:
      return attr.as_bool() ? "true" : "false";
    case AttrKind::kDType:
      return std::string(dtype_name(attr.as_dtype()));
    case AttrKind::kString:
      return std::string(attr.as_string());
    case AttrKind::kInts:
      break;
  }
  if (!is_given(attr.as_ints())) return "all";
  std::string out = "[";
  for (int64_t value : attr.as_ints()) {
    if (out.size() > 1) out += ',';
    out += std::to_string(value);
  }
  return out + "]";
}

std::string_view to_string(AttrKind kind) {
  switch (kind) {
    case AttrKind::kNone:
      return "none";
    case AttrKind::kInt:
      return "int";
    case AttrKind::kFloat:
      return "float";
    case AttrKind::kBool:
      return "bool";
    case AttrKind::kDType:
      return "dtype";
    case AttrKind::kString:
      return "string";
    case AttrKind::kInts:
      return "ints";
  }
  return "none";
}

bool operator==(const Attr& a, const Attr& b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case AttrKind::kNone:
      return true;
    case AttrKind::kInt:
      return a.as_int() == b.as_int();
    case AttrKind::kFloat:
      return a.as_float() == b.as_float();
    case AttrKind::kBool:
      return a.as_bool() == b.as_bool();
    case AttrKind::kDType:
      return a.as_dtype() == b.as_dtype();
    case AttrKind::kString:
      return a.as_string() == b.as_string();
    case AttrKind::kInts:
      return is_given(a.as_ints()) == is_given(b.as_ints()) &&
             std::ranges::equal(a.as_ints(), b.as_ints());
  }
  return false;
}

OwnedAttrs::OwnedAttrs(Attrs attrs) : attrs_(attrs) {
  const auto words = [](const Attr& attr) -> size_t {
    if (attr.kind() == AttrKind::kString) return (attr.as_string().size() + 7) / 8;
    if (attr.kind() == AttrKind::kInts && is_given(attr.as_ints())) return attr.as_ints().size();
    return 0;
  };
  size_t total = 0;
  for (const Attr& attr : attrs_) total += words(attr);
  if (total == 0) return;
  storage_ = std::make_unique<int64_t[]>(total);
  int64_t* next = storage_.get();
  for (Attr& attr : attrs_) {
    const size_t count = words(attr);
    if (count == 0) continue;
    if (attr.kind() == AttrKind::kInts) {
      std::memcpy(next, attr.as_ints().data(), count * sizeof(int64_t));
      attr = Attr(std::span<const int64_t>(next, count));
    } else {
      const std::string_view text = attr.as_string();
      char* chars = reinterpret_cast<char*>(next);
      std::memcpy(chars, text.data(), text.size());
      attr = Attr(std::string_view(chars, text.size()));
    }
    next += count;
  }
}

}  // namespace penstock
