#include "graph/text.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include <penstock/base/strings.h>

#include "graph/control.h"
#include "graph/graph.h"

namespace penstock {
namespace {

std::string hex(uint64_t bits, int digits) {
  std::string out(static_cast<size_t>(digits), '0');
  for (size_t i = out.size(); i-- > 0; bits >>= 4) out[i] = "0123456789abcdef"[bits & 15];
  return out;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 32) {
      out += "\\x" + hex(static_cast<unsigned char>(c), 2);
    } else {
      out += c;
    }
  }
  return out + '"';
}

// The shortest digits that restore the number.
template <typename T>
std::string number_text(T value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

// `element` has the number's bits, which distinguish NaNs.
template <typename T, typename Wide = T>
std::string float_text(const T* element) {
  const Wide value = static_cast<Wide>(*element);
  if (!std::isnan(value)) return number_text(value);
  uint64_t bits = 0;
  std::memcpy(&bits, element, sizeof(T));
  return cat("nan(", hex(bits, 2 * sizeof(T)), ")");
}

template <typename T>
std::string complex_text(const std::complex<T>* element) {
  const T* parts = reinterpret_cast<const T*>(element);
  return cat("(", float_text(parts), ",", float_text(parts + 1), ")");
}

std::string element_text(const Tensor& tensor, int64_t i) {
  const char* at =
      static_cast<const char*>(tensor.raw()) + i * static_cast<int64_t>(dtype_size(tensor.dtype()));
  const auto as = [&]<typename T>(T) { return reinterpret_cast<const T*>(at); };
  switch (tensor.dtype()) {
#define PEN_CASE(T, enumerator) \
  case DType::enumerator:       \
    return number_text(*as(T{}));
    PEN_FOR_EACH_INT(PEN_CASE)
#undef PEN_CASE
    case DType::kBool:
      return *as(bool{}) ? "true" : "false";
    case DType::kFloat16:
      return float_text<float16, float>(as(float16{}));
    case DType::kBFloat16:
      return float_text<bfloat16, float>(as(bfloat16{}));
    case DType::kFloat32:
      return float_text(as(float{}));
    case DType::kFloat64:
      return float_text(as(double{}));
    case DType::kComplex64:
      return complex_text(as(complex64{}));
    case DType::kComplex128:
      return complex_text(as(complex128{}));
    case DType::kString:
      return quoted(tensor.string_at(i));
    case DType::kInvalid:
      break;
  }
  return "";
}

std::string constant_text(const Tensor& tensor) {
  const int64_t count = tensor.num_elements();
  if (count > kMostPrinted) return cat("#", hex(content_hash(tensor), 16));
  std::string out = "[";
  for (int64_t i = 0; i < count; ++i) out += cat(i > 0 ? ", " : "", element_text(tensor, i));
  return out + "]";
}

std::string attr_text(const Attr& attr) {
  switch (attr.kind()) {
    case AttrKind::kString:
      return quoted(attr.as_string());
    case AttrKind::kFloat: {
      const double value = attr.as_float();
      return float_text(&value);
    }
    case AttrKind::kInts: {
      if (!is_given(attr.as_ints())) return "all";
      std::string out;
      for (int64_t value : attr.as_ints()) out += cat(out.empty() ? "" : ",", value);
      return cat("[", out, "]");
    }
    default:
      return to_string(attr);
  }
}

// "%1, %2"
std::string list_text(std::span<const ValueId> values) {
  std::string out;
  for (ValueId value : values) out += cat(out.empty() ? "%" : ", %", value);
  return out;
}

std::string call_text(const Graph& graph, const Node& node) {
  std::string out = cat(node.op->name.value, "(", list_text(graph.inputs(node)), ")");
  const char* separator = " {";
  for (size_t i = 0; i < node.num_attrs; ++i) {
    out += cat(separator, node.op->attrs[i].name, "=", attr_text(graph.attrs(node)[i]));
    separator = ", ";
  }
  return node.num_attrs > 0 ? out + "}" : out;
}

std::string gradient_text(const Graph& graph, const Node& node) {
  const GradientCall& call = graph.gradient(node);
  const std::span<const ValueId> inputs = graph.inputs(node);
  const size_t sources = call.first_source();
  return cat("gradient of ", list_text(inputs.first(static_cast<size_t>(call.num_targets))), " at ",
             list_text(inputs.subspan(sources, call.sources.size())));
}

std::string numbers_text(std::span<const int32_t> numbers) {
  std::string out;
  for (int32_t number : numbers) out += cat(out.empty() ? "" : ",", number);
  return cat("[", out, "]");
}

std::string control_text(const Graph& graph, const Node& node) {
  const Control& control = *graph.control(node);
  const std::string call = cat(name_of(control.kind), "(", list_text(graph.inputs(node)), ")");
  if (control.kind == Control::Kind::kBranch)
    return cat(call, " {regions=", control.regions.size(), "}");
  return cat(call, " {loop=", control.loop, ", trips=", control.trips,
             ", checkpoints=", control.checkpoints, ", swaps=", control.swaps ? "true" : "false",
             ", shares_checkpoints=", control.shares_checkpoints ? "true" : "false",
             ", numbers=", numbers_text(control.numbers), ", states=", numbers_text(control.states),
             ", invariants=", numbers_text(control.invariants), "}");
}

std::string node_text(const Graph& graph, const Node& node) {
  switch (node.kind) {
    case NodeKind::kInput:
      return cat("input ", node.index);
    case NodeKind::kConstant:
      return cat("constant ", constant_text(graph.constant(node.index)));
    case NodeKind::kRead:
      return cat("read ", node.index);
    case NodeKind::kCall:
      return cat("call ", graph.call(node)->name, "(", list_text(graph.inputs(node)), ")");
    case NodeKind::kGradient:
      return gradient_text(graph, node);
    case NodeKind::kControl:
      return control_text(graph, node);
    case NodeKind::kAssign:
      return cat("assign ", node.index, " = ", list_text(graph.inputs(node)));
    case NodeKind::kOp:
      break;
  }
  return call_text(graph, node);
}

}  // namespace

uint64_t content_hash(const Tensor& tensor) {
  uint64_t hash = 0xcbf29ce484222325u;
  const auto mix = [&](uint64_t word) {
    hash = (hash ^ word) * 0x100000001b3u;
    hash ^= hash >> 32;
  };
  const auto mix_bytes = [&](const char* bytes, int64_t count) {
    int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
      uint64_t word;
      std::memcpy(&word, bytes + i, sizeof word);
      mix(word);
    }
    for (; i < count; ++i) mix(static_cast<unsigned char>(bytes[i]));
  };
  mix(static_cast<uint64_t>(tensor.dtype()));
  for (int64_t dim : tensor.shape()) mix(static_cast<uint64_t>(dim));
  if (tensor.dtype() != DType::kString) {
    mix_bytes(static_cast<const char*>(tensor.raw()), tensor.num_bytes());
    return hash;
  }
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    const std::string_view text = tensor.string_at(i);
    mix(text.size());
    mix_bytes(text.data(), static_cast<int64_t>(text.size()));
  }
  return hash;
}

static std::string to_text(const Graph& graph, const std::string& indent);

static std::string regions_text(const Control& control, const std::string& indent) {
  std::string out;
  for (size_t i = 0; i < control.regions.size(); ++i)
    out +=
        cat(indent, region_name(control.kind, i), ":\n", to_text(control.region(i), indent + "  "));
  return out;
}

static std::string to_text(const Graph& graph, const std::string& indent) {
  std::string out;
  for (const Node& node : graph.nodes()) {
    out += indent;
    std::string names, types;
    for (ValueId value = node.first_output; value < node.first_output + node.num_outputs; ++value) {
      names += cat(names.empty() ? "%" : ", %", value);
      types += cat(types.empty() ? "" : ", ", graph.dtype(value), graph.shape(value));
    }
    out += cat(names, names.empty() ? "" : " = ", node_text(graph, node));
    if (!types.empty()) out += cat(" : ", types);
    const Location at = graph.location(node);
    if (!at.file.empty()) out += cat("  # ", at.file, ":", at.line);
    out += "\n";
    if (node.kind == NodeKind::kControl) out += regions_text(*graph.control(node), indent + "  ");
  }
  for (const Write& write : graph.writes())
    out += cat(indent, "write ", write.slot, " = %", write.value, "\n");
  const std::string outputs = list_text(graph.outputs());
  return out + cat(indent, "return", outputs.empty() ? "" : " ", outputs, "\n");
}

std::string to_text(const Graph& graph) { return to_text(graph, ""); }

}  // namespace penstock
