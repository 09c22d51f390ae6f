// dump: every sample as a line of samples.jsonl; the tensors' bytes in samples.bin.
//
// A tensor is {"dtype", "shape", "offset", "bytes"}: a place in samples.bin, little-endian and
// row-major. Strings lie there one after the other, each after its length (eight bytes).
// An op without samples gives a line with "sample": null, a call that failed one with "error".
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "call.h"

namespace penstock::op_check {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

File open(const std::filesystem::path& path) {
  File file(std::fopen(path.c_str(), "wb"));
  if (file == nullptr) throw NotFoundError(cat("cannot write ", path.native()));
  return file;
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    char escaped[8];
    if (c == '"' || c == '\\' || byte < 0x20 || byte >= 0x7F) {
      std::snprintf(escaped, sizeof escaped, "\\u%04x", byte);
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + '"';
}

// Python reads NaN and Infinity in JSON.
std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string attr_json(const Attr& attr) {
  switch (attr.kind()) {
    case AttrKind::kString:
      return json_text(attr.as_string());
    case AttrKind::kFloat:
      return number(attr.as_float());
    case AttrKind::kDType:
      return cat("{\"dtype\": ", json_text(dtype_name(attr.as_dtype())), "}");
    case AttrKind::kInts:
      if (!is_given(attr.as_ints())) return "null";
      [[fallthrough]];
    default:
      return to_string(attr);
  }
}

class Writer {
 public:
  explicit Writer(const std::filesystem::path& folder)
      : lines_(open(folder / "samples.jsonl")), bytes_(open(folder / "samples.bin")) {}

  void no_samples(const Op& op) { line(cat(head(op), ", \"sample\": null")); }

  void sample(const Call& call, const Tensors& outputs) {
    line(cat(call_text(call), ", \"tolerance\": ", number(call.sample.tolerance),
             ", \"inputs\": ", tensors(call.inputs), ", \"outputs\": ", tensors(outputs)));
  }
  void failure(const Call& call, const char* error) {
    line(cat(call_text(call), ", \"error\": ", json_text(error)));
  }
  bool is_good() { return std::ferror(lines_.get()) == 0 && std::ferror(bytes_.get()) == 0; }

 private:
  static std::string head(const Op& op) {
    return cat("\"op\": ", json_text(op.def->name.value), ", \"id\": ", json_text(op.id));
  }
  // All attributes, those by default included.
  static std::string call_text(const Call& call) {
    std::string text = cat(head(call.op), ", \"sample\": ", call.number,
                           ", \"call\": ", json_text(call.describe()), ", \"attrs\": {");
    bool first = true;
    for (const AttrDef& def : call.op.def->attrs) {
      Attr value = def.fallback;
      for (const NamedAttr& given : call.attrs()) {
        if (given.name == def.name) value = given.value;
      }
      if (value.kind() == AttrKind::kNone) continue;
      text += cat(first ? "" : ", ", json_text(def.name), ": ", attr_json(value));
      first = false;
    }
    return text + "}, \"names\": " + names(*call.op.def) + ", \"defaults\": {" +
           defaults(*call.op.def) + "}";
  }
  static std::string defaults(const OpDef& op) {
    std::string text;
    for (const AttrDef& def : op.attrs) {
      if (def.fallback.kind() == AttrKind::kNone) continue;
      text += cat(text.empty() ? "" : ", ", json_text(def.name), ": ", attr_json(def.fallback));
    }
    return text;
  }
  // Of the inputs; one that takes several has a star.
  static std::string names(const OpDef& op) {
    std::string text = "[";
    for (const InputDef& def : op.inputs) {
      text += cat(text.size() > 1 ? ", " : "", json_text(cat(def.name, def.many ? "*" : "")));
    }
    return text + "]";
  }
  void line(const std::string& fields) { std::fprintf(lines_.get(), "{%s}\n", fields.c_str()); }

  template <typename List>
  std::string tensors(const List& list) {
    std::string text = "[";
    for (const Tensor& tensor : list) {
      const int64_t start = offset_;
      write(tensor);
      text +=
          cat(text.size() > 1 ? ", " : "", "{\"dtype\": ", json_text(dtype_name(tensor.dtype())),
              ", \"shape\": ", tensor.shape(), ", \"offset\": ", start,
              ", \"bytes\": ", offset_ - start, "}");
    }
    return text + "]";
  }
  void write(const Tensor& tensor) {
    if (tensor.dtype() != DType::kString) return put(tensor.raw(), tensor.num_bytes());
    for (int64_t i = 0; i < tensor.num_elements(); ++i) {
      const std::string_view text = tensor.string_at(i);
      const auto length = static_cast<int64_t>(text.size());
      put(&length, sizeof length);
      put(text.data(), length);
    }
  }
  void put(const void* data, int64_t bytes) {
    if (bytes > 0) std::fwrite(data, 1, static_cast<size_t>(bytes), bytes_.get());
    offset_ += bytes;
  }

  File lines_;
  File bytes_;
  int64_t offset_ = 0;
};

}  // namespace

int run_dump(const Options& options) {
  std::filesystem::create_directories(options.out);
  Writer writer(options.out);
  int count = 0;
  for (const Op& op : options.ops) {
    const std::vector<Call> calls = calls_of(op);
    if (calls.empty()) writer.no_samples(op);
    for (const Call& call : calls) {
      ++count;
      try {
        writer.sample(call, call.run());
      } catch (const std::exception& error) {
        writer.failure(call, error.what());
      }
    }
  }
  if (!writer.is_good()) throw InternalError(cat("could not write all of ", options.out));
  std::printf("op_check dump: %d samples of %zu ops in %s\n", count, options.ops.size(),
              options.out.c_str());
  return 0;
}

}  // namespace penstock::op_check
