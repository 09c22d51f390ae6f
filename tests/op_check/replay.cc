// replay: makes the calls that tests/recorded holds and compares the answers with TensorFlow's.
//
// A line is {"op", "inputs", "attrs", "outputs"} or, for a call that TensorFlow refuses, one with
// "error", its class, instead of outputs. A tensor is [dtype, shape, values]; a complex value is
// two numbers. "tol" is a tolerance for this call, relative and absolute, in place of the dtype's.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "call.h"
#include "json.h"

namespace penstock::op_check {
namespace {

// The classes that stand for TensorFlow's. Its Python layer refuses with ValueError and TypeError
// what the ops would; a missing kernel for a dtype is NotFoundError or UnimplementedError there.
// Our TypeError is an InvalidArgumentError, which eager TensorFlow has for most dtypes.
struct Equivalent {
  std::string_view recorded;
  std::vector<std::string_view> ours;
};
const Equivalent kEquivalents[] = {
    {"InvalidArgumentError", {"InvalidArgumentError", "TypeError"}},
    {"ValueError", {"InvalidArgumentError", "TypeError"}},
    {"TypeError", {"TypeError", "InvalidArgumentError"}},
    {"NotFoundError", {"TypeError"}},
    {"UnimplementedError", {"UnimplementedError", "InvalidArgumentError", "TypeError"}},
    {"OutOfRangeError", {"OutOfRangeError", "InvalidArgumentError"}},
    {"ResourceExhaustedError", {"ResourceExhaustedError"}},
};

std::string_view class_of(const Error& error) {
  if (dynamic_cast<const TypeError*>(&error) != nullptr) return "TypeError";
  switch (error.code()) {
    case ErrorCode::kInvalidArgument:
      return "InvalidArgumentError";
    case ErrorCode::kNotFound:
      return "NotFoundError";
    case ErrorCode::kResourceExhausted:
      return "ResourceExhaustedError";
    case ErrorCode::kOutOfRange:
      return "OutOfRangeError";
    case ErrorCode::kUnimplemented:
      return "UnimplementedError";
    default:
      return "another Error";
  }
}

bool stands_for(std::string_view ours, std::string_view recorded) {
  for (const Equivalent& row : kEquivalents) {
    if (row.recorded == recorded) return std::ranges::count(row.ours, ours) > 0;
  }
  return ours == recorded;
}

const Json& member(const Json& json, std::string_view name) {
  const Json* found = json.find(name);
  if (found == nullptr) throw InvalidArgumentError(cat("a call without \"", name, "\""));
  return *found;
}

DType dtype_of(const Json& name) {
  const DType dtype = dtype_from_name(name.text);
  if (dtype == DType::kInvalid) throw InvalidArgumentError(cat("no dtype: ", name.text));
  return dtype;
}

Tensor read_tensor(const Json& json) {
  const DType dtype = dtype_of(json.items.at(0));
  SmallVector<int64_t, 8> dims;
  for (const Json& dim : json.items.at(1).items) dims.push_back(dim.as_int());
  const Shape shape(std::span<const int64_t>(dims.data(), dims.size()));
  const std::vector<Json>& values = json.items.at(2).items;
  if (dtype == DType::kString) {
    std::vector<std::string_view> texts;
    for (const Json& value : values) texts.push_back(value.text);
    return Tensor::from_strings(texts, shape);
  }
  Tensor tensor = Tensor::empty(dtype, shape, Tag::kConstant);
  const size_t parts = kComplexTypes.has(dtype) ? 2 : 1;
  if (values.size() != parts * static_cast<size_t>(tensor.num_elements()))
    throw InvalidArgumentError(cat(values.size(), " values for ", describe(tensor)));
  char* element = static_cast<char*>(tensor.raw());
  for (size_t i = 0; i < values.size(); i += parts, element += dtype_size(dtype)) {
    if (dtype == DType::kInt64) {
      *reinterpret_cast<int64_t*>(element) = values[i].as_int();
    } else if (dtype == DType::kUInt64) {
      *reinterpret_cast<uint64_t*>(element) = values[i].as_unsigned();
    } else {
      put_number(dtype, element, values[i].as_double(),
                 parts == 2 ? values[i + 1].as_double() : 0.0);
    }
  }
  return tensor;
}

AttrLiteral read_attr(const AttrDef& def, const Json& json) {
  switch (def.kind) {
    case AttrKind::kInt:
      return json.as_int();
    case AttrKind::kFloat:
      return json.as_double();
    case AttrKind::kBool:
      return json.truth;
    case AttrKind::kDType:
      return dtype_of(member(json, "dtype"));
    case AttrKind::kString:
      return json.text;
    default: {
      if (json.kind != Json::Kind::kList)
        throw InvalidArgumentError(cat("attribute ", def.name, " is a list"));
      std::vector<int64_t> list;
      for (const Json& item : json.items) list.push_back(item.as_int());
      return list;
    }
  }
}

struct Recorded {
  const OpDef* op;
  std::vector<Tensor> inputs;
  std::vector<std::pair<std::string_view, AttrLiteral>> attrs;

  Tensors run() const {
    std::vector<NamedAttr> named;
    for (const auto& [name, value] : attrs) named.push_back({name, attr_of(value)});
    return call(*op, inputs, named);
  }
};

Recorded read_call(const OpDef& op, const Json& line) {
  Recorded recorded{&op, {}, {}};
  for (const Json& input : member(line, "inputs").items)
    recorded.inputs.push_back(read_tensor(input));
  for (const auto& [name, value] : member(line, "attrs").map) {
    const auto def = std::ranges::find(op.attrs, std::string_view(name), &AttrDef::name);
    if (def == op.attrs.end()) throw InvalidArgumentError(cat("it has no attribute ", name));
    if (value.kind == Json::Kind::kNull) continue;  // the default
    recorded.attrs.emplace_back(def->name, read_attr(*def, value));
  }
  return recorded;
}

double usual_tolerance(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return 2e-3;
    case DType::kBFloat16:
      return 1.6e-2;
    case DType::kFloat32:
    case DType::kComplex64:
      return 1e-5;
    default:
      return 1e-10;
  }
}

bool is_close(double a, double b, double tolerance, double size) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <= tolerance + tolerance * size;
}

template <typename T>
bool parts_are_close(const T& a, const T& b, double tolerance) {
  const auto size = static_cast<double>(std::abs(b));
  const double scale = std::isfinite(size) ? size : 0;
  return is_close(a.real(), b.real(), tolerance, scale) &&
         is_close(a.imag(), b.imag(), tolerance, scale);
}

bool element_agrees(const Tensor& found, const Tensor& wanted, int64_t i, double tolerance) {
  const auto at = static_cast<size_t>(i);
  switch (found.dtype()) {
    case DType::kString:
      return found.string_at(i) == wanted.string_at(i);
    case DType::kInt64:
      return found.data<int64_t>()[at] == wanted.data<int64_t>()[at];
    case DType::kUInt64:
      return found.data<uint64_t>()[at] == wanted.data<uint64_t>()[at];
    case DType::kComplex64:
      return parts_are_close(found.data<complex64>()[at], wanted.data<complex64>()[at], tolerance);
    case DType::kComplex128:
      return parts_are_close(found.data<complex128>()[at], wanted.data<complex128>()[at],
                             tolerance);
    default: {
      const double a = found.number_at(i), b = wanted.number_at(i);
      return kRealFloatTypes.has(found.dtype()) ? is_close(a, b, tolerance, std::abs(b)) : a == b;
    }
  }
}

std::string compare(size_t output, const Tensor& found, const Tensor& wanted, double tolerance) {
  if (found.dtype() != wanted.dtype() || !(found.shape() == wanted.shape())) {
    return cat("output ", output, " is ", describe(found), ", TensorFlow's ", describe(wanted));
  }
  for (int64_t i = 0; i < found.num_elements(); ++i) {
    if (element_agrees(found, wanted, i, tolerance)) continue;
    return cat("output ", output, " differs at element ", i, ": ", found, ", TensorFlow's ",
               wanted);
  }
  return "";
}

// What is wrong with the answer to a call; empty when nothing is.
std::string problem_with(const Recorded& recorded, const Json& line) {
  const Json* error = line.find("error");
  Tensors outputs;
  try {
    outputs = recorded.run();
  } catch (const Error& refused) {
    if (error == nullptr) return cat(class_of(refused), ": ", refused.what());
    if (stands_for(class_of(refused), error->text)) return "";
    return cat(class_of(refused), " (", refused.what(), "), TensorFlow's ", error->text);
  }
  if (error != nullptr) return cat("it ran, TensorFlow raises ", error->text);
  const std::vector<Json>& wanted = member(line, "outputs").items;
  if (outputs.size() != wanted.size())
    return cat(outputs.size(), " outputs, TensorFlow's ", wanted.size());
  const Json* tolerance = line.find("tol");
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (wanted[i].kind == Json::Kind::kNull) continue;  // not determined
    const double limit =
        tolerance != nullptr ? tolerance->as_double() : usual_tolerance(outputs[i].dtype());
    const std::string problem = compare(i, outputs[i], read_tensor(wanted[i]), limit);
    if (!problem.empty()) return problem;
  }
  return "";
}

std::string text_of(const Recorded& recorded) {
  std::string text(recorded.op->name.value);
  for (const Tensor& input : recorded.inputs) {
    text += cat(" ", describe(input));
    if (input.num_elements() <= 4) text += cat("=", input);
  }
  for (const auto& [name, value] : recorded.attrs) text += cat("; ", name, "=", attr_of(value));
  return text;
}

struct Tally {
  int calls = 0;
  int failed = 0;
};

void replay_line(const Options& options, const std::string& place, const std::string& text,
                 Tally& tally) {
  const Json line = parse_json(text);
  const std::string& name = member(line, "op").text;
  const auto op = std::ranges::find_if(
      options.ops, [&](const Op& each) { return each.def->name.value == name; });
  if (op == options.ops.end()) {
    if (find_op(name) != nullptr) return;  // not among the selected ops
    ++tally.calls, ++tally.failed;
    std::printf("FAILED %s: there is no op %s\n", place.c_str(), name.c_str());
    return;
  }
  ++tally.calls;
  const Recorded recorded = read_call(*op->def, line);
  const std::string problem = problem_with(recorded, line);
  if (problem.empty()) return;
  ++tally.failed;
  std::printf("FAILED %s: %s: %s\n", place.c_str(), text_of(recorded).c_str(), problem.c_str());
}

}  // namespace

int run_replay(const Options& options) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(options.in)) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  Tally tally;
  for (const std::filesystem::path& path : files) {
    std::ifstream file(path);
    std::string text;
    for (int number = 1; std::getline(file, text); ++number) {
      const std::string place = cat(path.filename().native(), ":", number);
      try {
        replay_line(options, place, text, tally);
      } catch (const std::exception& error) {
        ++tally.calls, ++tally.failed;
        std::printf("FAILED %s: %s\n", place.c_str(), error.what());
      }
    }
  }
  std::printf("op_check replay: %d calls, %d failed\n", tally.calls, tally.failed);
  return tally.failed == 0 && tally.calls > 0 ? 0 : 1;
}

}  // namespace penstock::op_check
