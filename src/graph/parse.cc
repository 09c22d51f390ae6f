// parse_text: parses a graph from its text form. A Cursor reads each line and knows its position.
#include <charconv>
#include <cstring>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/ops/registry.h>

#include "graph/control.h"
#include "graph/graph.h"
#include "graph/text.h"

namespace penstock {
namespace {

class Cursor {
 public:
  Cursor(std::string_view text, int line) : rest_(text), line_(line) {}

  template <typename... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    throw InvalidArgumentError(cat("[graph] line ", line_, ": ", parts...));
  }
  bool done() const { return rest_.empty(); }
  bool starts_with(std::string_view text) const { return rest_.starts_with(text); }
  // Skips `text` if it comes next.
  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  void expect(std::string_view text) {
    if (!take(text)) fail("'", text, "' was expected before '", rest_.substr(0, 20), "'");
  }
  // Everything before the first of these characters.
  std::string_view until(std::string_view stops) {
    const size_t end = std::min(rest_.find_first_of(stops), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return word;
  }
  template <typename T>
  T number() {
    T value{};
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) fail("a number was expected before '", rest_.substr(0, 20), "'");
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return value;
  }
  uint64_t hex_number() {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, 16);
    if (error != std::errc()) fail("hexadecimal digits were expected");
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return value;
  }
  std::string quoted() {
    expect("\"");
    std::string text;
    while (!take("\"")) {
      if (done()) fail("a string does not end");
      if (take("\\x")) {
        const std::string_view digits = rest_.substr(0, 2);
        unsigned value = 0;
        if (std::from_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr !=
                digits.data() + 2 ||
            digits.size() != 2)
          fail("two hexadecimal digits were expected");
        rest_.remove_prefix(2);
        text += static_cast<char>(value);
        continue;
      }
      take("\\");
      if (done()) fail("a string does not end");
      text += rest_[0];
      rest_.remove_prefix(1);
    }
    return text;
  }

 private:
  std::string_view rest_;
  int line_;
};

// One element, as element_text in text.cc prints it.
template <typename T>
void read_element(Cursor& cursor, T* element) {
  *element = cursor.number<T>();
}
template <typename T, typename Wide>
void read_float(Cursor& cursor, T* element) {
  if (!cursor.take("nan(")) {
    *element = T(cursor.number<Wide>());
    return;
  }
  const uint64_t bits = cursor.hex_number();
  std::memcpy(static_cast<void*>(element), &bits, sizeof(T));
  cursor.expect(")");
}
void read_element(Cursor& cursor, float16* element) { read_float<float16, float>(cursor, element); }
void read_element(Cursor& cursor, bfloat16* element) {
  read_float<bfloat16, float>(cursor, element);
}
void read_element(Cursor& cursor, float* element) { read_float<float, float>(cursor, element); }
void read_element(Cursor& cursor, double* element) { read_float<double, double>(cursor, element); }
template <typename T>
void read_element(Cursor& cursor, std::complex<T>* element) {
  T parts[2];
  cursor.expect("(");
  read_element(cursor, &parts[0]);
  cursor.expect(",");
  read_element(cursor, &parts[1]);
  cursor.expect(")");
  *element = {parts[0], parts[1]};
}
void read_element(Cursor& cursor, bool* element) {
  *element = cursor.take("true");
  if (!*element) cursor.expect("false");
}

template <typename T>
Tensor read_elements(Cursor& cursor, DType dtype, const Shape& shape) {
  Tensor tensor = Tensor::empty(dtype, shape, Tag::kConstant);
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    if (i > 0) cursor.expect(", ");
    read_element(cursor, static_cast<T*>(tensor.raw()) + i);
  }
  return tensor;
}
template <>
Tensor read_elements<StringRef>(Cursor& cursor, DType, const Shape& shape) {
  std::vector<std::string> texts;
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    if (i > 0) cursor.expect(", ");
    texts.push_back(cursor.quoted());
  }
  return Tensor::from_strings(std::vector<std::string_view>(texts.begin(), texts.end()), shape);
}

struct Type {
  DType dtype = DType::kInvalid;
  Shape shape;
};

// The lines of a text.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  bool done() const { return rest_.empty(); }
  // The next line, without its indent.
  Cursor next(int indent) {
    if (done()) throw InvalidArgumentError("[graph] the text does not end in 'return'");
    const size_t end = std::min(rest_.find('\n'), rest_.size());
    Cursor cursor(rest_.substr(0, end), ++line_);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    cursor.expect(std::string(static_cast<size_t>(indent), ' '));
    return cursor;
  }

 private:
  std::string_view rest_;
  int line_ = 0;
};

// Deeper than any program nests regions.
constexpr int kMostIndent = 256;

class Parser {
 public:
  Parser(std::span<const Tensor> constants, Lines& lines, int indent = 0)
      : constants_(constants), lines_(lines), indent_(indent) {}

  Graph parse() {
    for (bool has_ended = false; !has_ended;) {
      Cursor cursor = lines_.next(indent_);
      has_ended = read_line(cursor);
    }
    graph_.set_writes(writes_);
    try {
      verify(graph_);
    } catch (const InternalError& error) {
      throw InvalidArgumentError(error.what());
    }
    return std::move(graph_);
  }

 private:
  // True for the last line.
  bool read_line(Cursor& cursor) {
    if (cursor.take("return")) {
      cursor.take(" ");
      graph_.set_outputs(read_values(cursor, ""));
      return true;
    }
    if (cursor.take("write ")) {
      const auto slot = read_index(cursor);
      cursor.expect(" = ");
      writes_.push_back({slot, read_value(cursor)});
      expect_end(cursor);
      return false;
    }
    auto next = static_cast<ValueId>(graph_.num_values());
    int32_t count = 0;
    do {
      cursor.expect(cat("%", next++));
      ++count;
    } while (cursor.take(", "));
    cursor.expect(" = ");
    read_node(cursor, count);
    return false;
  }

  void read_node(Cursor& cursor, int32_t count) {
    if (count == 1 && cursor.take("input ")) {
      cursor.expect(cat(graph_.num_inputs()));
      const Type type = read_types(cursor, 1)[0];
      graph_.add_input(type.dtype, type.shape);
    } else if (count == 1 && cursor.take("read ")) {
      const int32_t slot = read_index(cursor);
      const Type type = read_types(cursor, 1)[0];
      graph_.add_read(slot, type.dtype, type.shape);
    } else if (count == 1 && cursor.take("assign ")) {
      const int32_t slot = read_index(cursor);
      cursor.expect(" = ");
      const ValueId value = read_value(cursor);
      int32_t location = kNoIndex;
      read_types(cursor, 1, &location);
      graph_.add_assign(slot, value, location);
    } else if (count == 1 && cursor.take("constant ")) {
      read_constant(cursor);
    } else if (cursor.take("branch(")) {
      read_control(cursor, Control::Kind::kBranch, count);
    } else if (cursor.take("while(")) {
      read_control(cursor, Control::Kind::kLoop, count);
    } else if (cursor.take("while gradient(")) {
      read_control(cursor, Control::Kind::kLoopGradient, count);
    } else {
      read_call(cursor, count);
    }
  }

  // The elements precede the type that they need.
  void read_constant(Cursor& cursor) {
    if (cursor.take("#")) {
      const uint64_t hash = cursor.hex_number();
      const Type type = read_types(cursor, 1)[0];
      for (const Tensor& tensor : constants_) {
        if (tensor.dtype() != type.dtype || tensor.shape() != type.shape) continue;
        if (content_hash(tensor) == hash) return static_cast<void>(graph_.add_constant(tensor));
      }
      cursor.fail("no tensor was given that has this content");
    }
    cursor.expect("[");
    Cursor values = cursor;
    while (!cursor.starts_with("] : ")) {
      if (cursor.done()) cursor.fail("a constant has no type");
      if (cursor.starts_with("\"")) {
        cursor.quoted();
      } else {
        cursor.until("\"]");
        if (cursor.starts_with("]") && !cursor.starts_with("] : ")) cursor.fail("']' is misplaced");
      }
    }
    cursor.expect("]");
    const Type type = read_types(cursor, 1)[0];
    if (type.shape.num_elements() > kMostPrinted) cursor.fail("so many elements are not written");
    graph_.add_constant(read_tensor(values, type));
  }

  static Tensor read_tensor(Cursor& values, const Type& type) {
    Tensor tensor;
    switch (type.dtype) {
#define PEN_CASE(T, enumerator)                                \
  case DType::enumerator:                                      \
    tensor = read_elements<T>(values, type.dtype, type.shape); \
    break;
      PEN_FOR_EACH_DTYPE(PEN_CASE)
#undef PEN_CASE
      case DType::kInvalid:
        values.fail("there is no such dtype");
    }
    values.expect("]");
    return tensor;
  }

  void read_call(Cursor& cursor, int32_t count) {
    const std::string_view name = cursor.until("(");
    const OpDef* op = find_op(name);
    if (op == nullptr) cursor.fail("there is no op named '", name, "'");
    cursor.expect("(");
    const SmallVector<ValueId, 4> inputs = read_values(cursor, ")");
    std::vector<Attr> attrs;
    Texts texts;
    const char* separator = " {";
    for (const AttrDef& def : op->attrs) {
      cursor.expect(cat(separator, def.name, "="));
      attrs.push_back(read_attr(cursor, def.kind, texts));
      separator = ", ";
    }
    if (!attrs.empty()) cursor.expect("}");
    int32_t location = kNoIndex;
    SmallVector<OutputSpec, 2> outputs;
    for (const Type& type : read_types(cursor, count, &location))
      outputs.push_back({type.dtype, type.shape, -1, 0});
    graph_.add_op(*op, inputs, attrs, outputs, location);
  }

  void read_control(Cursor& cursor, Control::Kind kind, int32_t count) {
    auto control = std::make_shared<Control>();
    control->kind = kind;
    const SmallVector<ValueId, 4> inputs = read_values(cursor, ")");
    size_t num_regions = kind == Control::Kind::kLoop ? 2 : 3;
    if (kind == Control::Kind::kBranch) {
      cursor.expect(" {regions=");
      num_regions = static_cast<size_t>(read_index(cursor));
      if (num_regions == 0) cursor.fail("a branch has regions");
    } else {
      read_loop(cursor, *control);
    }
    cursor.expect("}");
    int32_t location = kNoIndex;
    SmallVector<OutputSpec, 2> outputs;
    for (const Type& type : read_types(cursor, count, &location))
      outputs.push_back({type.dtype, type.shape, -1, 0});
    if (indent_ >= kMostIndent) cursor.fail("regions are nested too deep");
    for (size_t i = 0; i < num_regions; ++i) {
      Cursor head = lines_.next(indent_ + 2);
      head.expect(cat(region_name(kind, i), ":"));
      expect_end(head);
      control->regions.push_back(
          std::make_shared<const Graph>(Parser(constants_, lines_, indent_ + 4).parse()));
    }
    graph_.add_control(std::move(control), inputs, outputs, location);
  }

  static void read_loop(Cursor& cursor, Control& control) {
    const auto read_numbers = [&](std::string_view name, std::vector<int32_t>& numbers) {
      cursor.expect(name);
      for (int64_t number : read_ints(cursor)) numbers.push_back(static_cast<int32_t>(number));
    };
    cursor.expect(" {loop=");
    control.loop = cursor.number<uint64_t>();
    cursor.expect(", trips=");
    control.trips = cursor.number<int64_t>();
    cursor.expect(", checkpoints=");
    control.checkpoints = cursor.number<int64_t>();
    cursor.expect(", swaps=");
    read_element(cursor, &control.swaps);
    cursor.expect(", shares_checkpoints=");
    read_element(cursor, &control.shares_checkpoints);
    read_numbers(", numbers=", control.numbers);
    read_numbers(", states=", control.states);
    read_numbers(", invariants=", control.invariants);
    control.num_states = static_cast<int32_t>(control.numbers.size());
  }

  // Storage for attributes until the graph has its own copy.
  struct Texts {
    std::vector<std::unique_ptr<std::string>> strings;
    std::vector<std::unique_ptr<IntVector>> lists;
  };

  static Attr read_attr(Cursor& cursor, AttrKind kind, Texts& texts) {
    switch (kind) {
      case AttrKind::kInt:
        return Attr(cursor.number<int64_t>());
      case AttrKind::kFloat: {
        double value = 0;
        read_element(cursor, &value);
        return Attr(value);
      }
      case AttrKind::kBool: {
        bool value = false;
        read_element(cursor, &value);
        return Attr(value);
      }
      case AttrKind::kDType:
        return Attr(read_dtype(cursor, ",}"));
      case AttrKind::kString:
        texts.strings.push_back(std::make_unique<std::string>(cursor.quoted()));
        return Attr(std::string_view(*texts.strings.back()));
      case AttrKind::kInts:
        if (cursor.take("all")) return kOptionalInts;
        texts.lists.push_back(std::make_unique<IntVector>(read_ints(cursor)));
        return Attr(std::span<const int64_t>(*texts.lists.back()));
      case AttrKind::kNone:
        break;
    }
    cursor.fail("an attribute has no kind");
  }

  static IntVector read_ints(Cursor& cursor) {
    IntVector values;
    cursor.expect("[");
    if (cursor.take("]")) return values;
    do {
      values.push_back(cursor.number<int64_t>());
    } while (cursor.take(","));
    cursor.expect("]");
    return values;
  }

  static DType read_dtype(Cursor& cursor, std::string_view stops) {
    const std::string_view name = cursor.until(stops);
    const DType dtype = dtype_from_name(name);
    if (dtype == DType::kInvalid) cursor.fail("there is no dtype '", name, "'");
    return dtype;
  }

  // " : float32[2,3], int32[]", then the user's line.
  SmallVector<Type, 2> read_types(Cursor& cursor, int32_t count, int32_t* location = nullptr) {
    SmallVector<Type, 2> types;
    cursor.expect(" : ");
    for (int32_t i = 0; i < count; ++i) {
      if (i > 0) cursor.expect(", ");
      const DType dtype = read_dtype(cursor, "[");
      const IntVector dims = read_ints(cursor);
      for (int64_t dim : dims) {
        if (dim < 0) cursor.fail("a dimension cannot be ", dim);
      }
      types.push_back({dtype, Shape(std::span<const int64_t>(dims))});
    }
    if (location != nullptr && cursor.take("  # ")) {
      const std::string_view place = cursor.until("\n");
      const size_t colon = place.rfind(':');
      if (colon == std::string_view::npos) cursor.fail("a place is file:line");
      Cursor line(place.substr(colon + 1), 0);
      *location = graph_.add_location({place.substr(0, colon), line.number<int32_t>()});
    }
    expect_end(cursor);
    return types;
  }

  static void expect_end(const Cursor& cursor) {
    if (!cursor.done()) cursor.fail("the line was expected to end");
  }

  static int32_t read_index(Cursor& cursor) {
    constexpr int32_t kMost = 1 << 24;  // more variables than any function has
    const auto index = cursor.number<int32_t>();
    if (index < 0 || index > kMost) cursor.fail("there is no slot ", index);
    return index;
  }

  ValueId read_value(Cursor& cursor) const {
    cursor.expect("%");
    const auto value = cursor.number<ValueId>();
    if (value < 0 || static_cast<size_t>(value) >= graph_.num_values())
      cursor.fail("there is no value ", value, " before");
    return value;
  }

  // Values up to `end`; up to the end of the line if it is empty.
  SmallVector<ValueId, 4> read_values(Cursor& cursor, std::string_view end) const {
    SmallVector<ValueId, 4> values;
    const auto has_ended = [&] { return end.empty() ? cursor.done() : cursor.take(end); };
    while (!has_ended()) {
      if (!values.empty()) cursor.expect(", ");
      values.push_back(read_value(cursor));
    }
    return values;
  }

  std::span<const Tensor> constants_;
  Lines& lines_;
  const int indent_;
  Graph graph_;
  std::vector<Write> writes_;
};

}  // namespace

Graph parse_text(std::string_view text, std::span<const Tensor> constants) {
  Lines lines(text);
  Graph graph = Parser(constants, lines).parse();
  if (!lines.done()) lines.next(0).fail("the graph has ended");
  return graph;
}

}  // namespace penstock
