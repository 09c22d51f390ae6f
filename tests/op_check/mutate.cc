#include "mutate.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace penstock::op_check {
namespace {

constexpr double kBadNumbers[] = {
    0.0,
    -0.0,
    1,
    -1,
    std::numeric_limits<double>::quiet_NaN(),
    1e-310,
    INFINITY,
    -INFINITY,
    1e308,
    -1e308,
    1e-40,
    2147483647.0,
    -2147483648.0,
    9.3e18,
    -9.3e18,
    1 << 20,
    0x1p40,
    3,
    255,
    65504,
};
constexpr int64_t kBadInts[] = {0,
                                1,
                                -1,
                                2,
                                -2,
                                7,
                                8,
                                9,
                                INT32_MAX,
                                INT32_MIN,
                                1 << 20,
                                INT64_MAX,
                                INT64_MIN,
                                int64_t{1} << 32,
                                int64_t{1} << 40,
                                INT64_MAX - 1,
                                INT64_MIN + 1,
                                int64_t{1} << 62};
constexpr const char* kBadNames[] = {
    "",     "SAME",  "VALID", "EXPLICIT",          "NHWC", "NCHW", "edge",
    "\xFF", "UTF-8", "left",  "a rather long name"};

template <typename T, size_t N>
const T& pick(const T (&list)[N], Random& random) {
  return list[random.below(static_cast<int64_t>(N))];
}
template <typename List>
auto& pick_from(List& list, Random& random) {
  return list[static_cast<size_t>(random.below(static_cast<int64_t>(list.size())))];
}

int64_t random_dim(Random& random) {
  if (random.below(200) == 0) return int64_t{1} << (10 + random.below(30));
  return random.below(6);
}

Shape random_shape(Random& random) {
  Shape shape;
  const int64_t rank = random.chance(10) ? random.below(9) : random.below(6);
  for (int64_t i = 0; i < rank; ++i) shape.append(random_dim(random));
  return shape;
}

int64_t random_int(Random& random) {
  return random.chance(50) ? pick(kBadInts, random) : random.below(13) - 6;
}

std::vector<int64_t> random_ints(Random& random) {
  std::vector<int64_t> list(static_cast<size_t>(random.below(10)));
  for (int64_t& value : list) value = random_int(random);
  return list;
}

AttrLiteral random_literal(AttrKind kind, Random& random) {
  switch (kind) {
    case AttrKind::kFloat:
      return pick(kBadNumbers, random);
    case AttrKind::kBool:
      return random.chance(50);
    case AttrKind::kDType:
      return static_cast<DType>(random.chance(10) ? random.below(256) : random.below(kNumDTypes));
    case AttrKind::kString:
      return std::string(pick(kBadNames, random));
    case AttrKind::kInts:
      if (random.chance(5)) return std::monostate();
      return random_ints(random);
    default:
      return random_int(random);
  }
}

// Values of a shape that grew or shrank: those there are, over and over.
void fit_values(SampleInput& input) {
  int64_t count = 0;
  try {
    count = input.shape.num_elements();
  } catch (const Error&) {
    count = -1;  // making the tensor fails anyway
  }
  const auto size = static_cast<int64_t>(input.values.size());
  if (size == 0 || size == count) return;
  if (count < 0 || count > 4096) {
    input.values.clear();
    return;
  }
  const std::vector<double> old = input.values;
  input.values.resize(static_cast<size_t>(count));
  for (size_t i = 0; i < input.values.size(); ++i) input.values[i] = old[i % old.size()];
}

void change_shape(SampleInput& input, Random& random) {
  const int rank = input.shape.rank();
  switch (random.below(4)) {
    case 0:
      input.shape = random_shape(random);
      break;
    case 1:
      if (rank > 0) input.shape.set(static_cast<int>(random.below(rank)), random_dim(random));
      break;
    case 2:
      if (rank > 0) input.shape.remove(static_cast<int>(random.below(rank)));
      break;
    default:
      if (rank < kMaxRank)
        input.shape.insert(static_cast<int>(random.below(rank + 1)), random.below(4));
  }
  fit_values(input);
}

void change_values(SampleInput& input, Random& random) {
  int64_t count = 0;
  try {
    count = input.shape.num_elements();
  } catch (const Error&) {
    return;
  }
  if (count > 4096) return;
  if (input.values.size() != static_cast<size_t>(count)) {
    input.values.resize(static_cast<size_t>(count));
    for (double& value : input.values) value = random.uniform(-4, 4);
  }
  const bool all = random.chance(30);
  for (double& value : input.values) {
    if (!all && !random.chance(30)) continue;
    value = kIntTypes.has(input.dtype) ? static_cast<double>(random_int(random))
                                       : pick(kBadNumbers, random);
  }
}

void change_dtype(RandomCall& call, Random& random) {
  const auto dtype = static_cast<DType>(1 + random.below(kNumDTypes - 1));
  const size_t at = static_cast<size_t>(random.below(static_cast<int64_t>(call.inputs.size())));
  const char type = call.op.def->inputs.size() == 0 ? 'T' : call.op.def->input(at).type;
  const bool all = random.chance(80);  // of its letter, so that the call is likely to be valid
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    if (i == at || (all && call.op.def->input(i).type == type)) {
      call.inputs[i].spec.dtype = dtype;
      call.inputs[i].spec.strings.clear();
    }
  }
}

void change_count(RandomCall& call, Random& random) {
  if (random.chance(50)) {
    call.inputs.erase(call.inputs.begin() + random.below(static_cast<int64_t>(call.inputs.size())));
  } else {
    call.inputs.push_back(pick_from(call.inputs, random));
  }
}

void change_attr(RandomCall& call, Random& random) {
  const auto& defs = call.op.def->attrs;
  if (defs.size() == 0 || random.chance(3)) {
    call.attrs.emplace_back("no_such_attribute", int64_t{0});
    return;
  }
  const AttrDef& def = defs[static_cast<size_t>(random.below(static_cast<int64_t>(defs.size())))];
  const AttrKind kind = random.chance(5) ? static_cast<AttrKind>(1 + random.below(6)) : def.kind;
  AttrLiteral value = random_literal(kind, random);
  for (auto& [name, old] : call.attrs) {
    if (name != def.name) continue;
    auto* list = std::get_if<std::vector<int64_t>>(&old);
    if (list != nullptr && !list->empty() && random.chance(60)) {
      pick_from(*list, random) = random_int(random);  // one of them only
    } else {
      old = std::move(value);
    }
    return;
  }
  call.attrs.emplace_back(def.name, std::move(value));
}

void change_something(RandomCall& call, Random& random) {
  if (call.inputs.empty() || random.chance(20)) return change_attr(call, random);
  RandomInput& input = pick_from(call.inputs, random);
  const int64_t choice = random.below(100);
  if (choice < 40) return change_shape(input.spec, random);
  if (choice < 70) return change_values(input.spec, random);
  if (choice < 85) return change_dtype(call, random);
  if (choice < 94) {
    input.kind = RandomInput::Kind::kAtOffset;
  } else if (choice < 96) {
    input.kind =
        random.chance(50) ? RandomInput::Kind::kUndefined : RandomInput::Kind::kWithoutData;
  } else {
    change_count(call, random);
  }
}

}  // namespace

RandomCall random_call(const Op& op, const std::vector<Sample>& samples, Random& random) {
  RandomCall call{op, {}, {}, false, 0};
  const Sample& sample = pick_from(samples, random);
  for (const SampleInput& input : sample.inputs)
    call.inputs.push_back({input, RandomInput::Kind::kPlain});
  for (const SampleAttr& attr : sample.attrs) call.attrs.emplace_back(attr.name, attr.value);
  for (int64_t n = random.below(5); n > 0; --n) change_something(call, random);
  call.with_gradient = op.def->is_differentiable() && random.chance(50);
  if (random.chance(25)) call.given = random.next();
  return call;
}

namespace {

// Drawing values for a large tensor takes longer than the call: it is all zeros.
Tensor make_plain(const SampleInput& spec, Random& random) {
  constexpr int64_t kManyElements = 1 << 14;
  if (spec.shape.num_elements() <= kManyElements) return make_tensor(spec, random);
  Tensor tensor = Tensor::empty(spec.dtype, spec.shape, Tag::kConstant);
  std::memset(tensor.raw(), 0, static_cast<size_t>(tensor.num_bytes()));
  return tensor;
}

}  // namespace

Tensor make_tensor(const RandomInput& input, Random& random) {
  if (input.kind == RandomInput::Kind::kUndefined) return {};
  const Tensor plain = make_plain(input.spec, random);
  if (input.kind == RandomInput::Kind::kWithoutData) return plain.without_data();
  if (input.kind == RandomInput::Kind::kPlain) return plain;
  if (plain.dtype() == DType::kString) return plain;
  // One element into a larger buffer: aligned for the element and for nothing else.
  const auto size = static_cast<int64_t>(dtype_size(plain.dtype()));
  const Tensor room = Tensor::empty(DType::kUInt8, Shape{plain.num_bytes() + size}, Tag::kConstant);
  if (plain.num_bytes() > 0)
    std::memcpy(static_cast<char*>(room.raw()) + size, plain.raw(),
                static_cast<size_t>(plain.num_bytes()));
  return Tensor::over(room.buffer(), size, plain.dtype(), plain.shape());
}

std::string RandomCall::describe() const {
  std::string text = cat(op.def->name.value, "(");
  for (const RandomInput& input : inputs) {
    text += cat(text.back() == '(' ? "" : ", ", input.spec.dtype, input.spec.shape);
    if (input.kind == RandomInput::Kind::kUndefined) text += " undefined";
    if (input.kind == RandomInput::Kind::kWithoutData) text += " without data";
    if (input.kind == RandomInput::Kind::kAtOffset) text += " at an offset";
    if (input.spec.values.empty() || input.spec.values.size() > 16) continue;
    text += " {";
    for (double value : input.spec.values) {
      char number[32];
      std::snprintf(number, sizeof number, "%s%.6g", text.back() == '{' ? "" : " ", value);
      text += number;
    }
    text += "}";
  }
  for (const auto& [name, value] : attrs) {
    const auto* dtype = std::get_if<DType>(&value);
    const bool is_valid = dtype == nullptr || static_cast<int>(*dtype) < kNumDTypes;
    text += cat("; ", name, "=", is_valid ? to_string(attr_of(value)) : "no dtype");
  }
  if (with_gradient) text += "; with gradient";
  if (given != 0) text += "; inputs handed over";
  return text + ")";
}

}  // namespace penstock::op_check
