// Csv: the records of files of comma-separated values, converted to the dtypes of their defaults.
//
// A record that is wrong throws, and the next call goes on after it. A file is read byte by byte from
// the reader's buffer; only fields that are quoted or that cross its end are copied.
#include <algorithm>
#include <optional>
#include <string>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/memory/strings.h>

#include "base/parse_number.h"
#include "data/files/files_iterator.h"

namespace penstock::data {
namespace {

enum {
  kNames,
  kCompression,
  kBuffer,
  kHeader,
  kDelimiter,
  kQuotes,
  kMissing,
  kSelected,
  kExcluded,
  kDefaults  // one each: no element for a field that must be there, else one
};

constexpr DTypeSet kFieldTypes =
    DTypeSet(DType::kInt32) | DType::kInt64 | DType::kFloat32 | DType::kFloat64 | DType::kString;

void check_columns(const DatasetState& state, size_t operand, std::string_view what) {
  int64_t before = -1;
  for (int64_t i = 0; i < state.operands[operand].num_elements(); ++i) {
    const auto column = static_cast<int64_t>(state.operands[operand].number_at(i));
    if (column < 0) throw InvalidArgumentError(cat(what, " should be non-negative indices"));
    if (column <= before)
      throw InvalidArgumentError(cat(what, " should be strictly increasing indices"));
    before = column;
  }
}

void infer(DatasetState& state) {
  check_names(state);
  if (state.operands.size() <= kDefaults)
    throw InvalidArgumentError("Length for attr 'output_types' of 0 must be at least minimum 1");
  if (is_known(state, kCompression)) {
    const std::string_view name = text_of(state, kCompression);
    if (!compression_named(name).has_value())
      throw InvalidArgumentError(cat("Unsupported compression_type: ", name, "."));
  }
  for (const size_t i : {kBuffer, kHeader, kQuotes}) check_scalar(state, i, "each option");
  if (is_known(state, kDelimiter) && text_of(state, kDelimiter).size() != 1)
    throw InvalidArgumentError("field_delim should be only 1 char");
  if (is_known(state, kMissing)) text_of(state, kMissing);
  const size_t outputs = state.operands.size() - kDefaults;
  if (is_known(state, kSelected) && is_known(state, kExcluded)) {
    const int64_t selected = state.operands[kSelected].num_elements();
    if (selected > 0 && state.operands[kExcluded].num_elements() > 0)
      throw InvalidArgumentError("Either select_cols or exclude_cols should be empty");
    if (selected > 0 && static_cast<size_t>(selected) != outputs)
      throw InvalidArgumentError("select_cols should match output size");
    check_columns(state, kSelected, "select_cols");
    check_columns(state, kExcluded, "exclude_cols");
  }
  state.spec.clear();
  for (size_t i = 0; i < outputs; ++i) {
    const Tensor& value = state.operands[kDefaults + i];
    if (!kFieldTypes.has(value.dtype()))
      throw InvalidArgumentError(
          cat("csv: data type ", value.dtype(), " not supported in field ", i));
    if (value.shape().has_rank() && value.rank() > 1)
      throw InvalidArgumentError("Each record default should be at most rank 1");
    if (value.shape().is_known() && value.num_elements() > 1)
      throw InvalidArgumentError(cat("There should only be 1 default per field but field ", i,
                                     " has ", value.num_elements()));
    state.spec.push_back({value.dtype(), Shape{}});
  }
}

std::vector<int64_t> columns_of(const Tensor& operand) {
  std::vector<int64_t> columns;
  for (int64_t i = 0; i < operand.num_elements(); ++i)
    columns.push_back(static_cast<int64_t>(operand.number_at(i)));
  return columns;
}

Compression compression_of(const DatasetState& state) {
  return *compression_named(text_of(state, kCompression));
}

template <typename T>
Tensor number_in(std::string_view text) {
  T value{};
  return parse_number(text, &value) ? Tensor(value) : Tensor();
}

// The value of a field; undefined if the text is no such number.
Tensor converted(DType dtype, std::string_view text) {
  switch (dtype) {
    case DType::kInt32:
      return number_in<int32_t>(text);
    case DType::kInt64:
      return number_in<int64_t>(text);
    case DType::kFloat32:
      return number_in<float>(text);
    case DType::kFloat64:
      return number_in<double>(text);
    default:
      return Tensor::from_strings({&text, 1}, Shape{});
  }
}

std::string_view word_for(DType dtype) {
  return dtype == DType::kFloat32   ? "float"
         : dtype == DType::kFloat64 ? "double"
                                    : dtype_name(dtype);
}

class CsvIterator final : public FilesIterator {
 public:
  CsvIterator(StateRef state, const Scope& scope)
      : FilesIterator(state, scope, compression_of(*state), state->number(kBuffer)),
        delimiter_(text_of(*state_, kDelimiter)[0]),
        has_header_(state_->number(kHeader) != 0),
        has_quotes_(state_->number(kQuotes) != 0),
        missing_(text_of(*state_, kMissing)),
        selected_(columns_of(state_->operands[kSelected])),
        excluded_(columns_of(state_->operands[kExcluded])) {}

 private:
  void begin(FileReader& file) override {
    if (!has_header_) return;
    const bool is_there = !file.peek().empty();
    if (is_there) read_fields(file, nullptr);
    if (!is_there || wrong_.has_value()) throw InvalidArgumentError("Can't read header of file");
  }

  bool next_in(FileReader& file, Element& element) override {
    if (file.peek().empty()) return false;
    element.clear();
    read_fields(file, &element);
    if (wrong_.has_value()) throw InvalidArgumentError(*wrong_);
    if (element.size() != state_->spec.size())
      throw InvalidArgumentError(
          cat("Expect ", state_->spec.size(), " fields but have ", element.size(), " in record"));
    return true;
  }

  // Reads to the end of the record, whatever is wrong with it: the first mistake is kept.
  void read_fields(FileReader& file, Element* element) {
    wrong_.reset();
    size_t in_selected = 0, in_excluded = 0;
    for (int64_t column = 0;; ++column) {
      bool is_wanted = element != nullptr;
      if (!selected_.empty()) {
        const bool is_selected = in_selected < selected_.size() && selected_[in_selected] == column;
        in_selected += is_selected;
        is_wanted = is_wanted && is_selected;
      } else if (in_excluded < excluded_.size() && excluded_[in_excluded] == column) {
        ++in_excluded;
        is_wanted = false;
      }
      Element* const to = is_wanted ? element : nullptr;
      const std::string_view rest = file.peek();
      if (has_quotes_ && !rest.empty() && rest[0] == '"') {
        read_quoted(file, to);
      } else {
        read_plain(file, to);
      }
      copied_.reset();
      if (ends_record(file)) return;
    }
  }

  void note(std::string text) {
    if (!wrong_.has_value()) wrong_ = std::move(text);
  }

  bool is_end(char c) const { return c == delimiter_ || c == '\n' || c == '\r'; }

  // Passes over what ends a field.
  bool ends_record(FileReader& file) {
    const int c = file.get();
    if (c == '\r' && file.peek().starts_with('\n')) file.consume(1);
    return c == -1 || c == '\n' || c == '\r';
  }

  void read_plain(FileReader& file, Element* to) {
    bool has_quote = false;
    for (;;) {
      const std::string_view rest = file.peek();
      const auto end = static_cast<size_t>(std::ranges::find_if(rest,
                                                                [&](char c) {
                                                                  has_quote = has_quote || c == '"';
                                                                  return is_end(c);
                                                                }) -
                                           rest.begin());
      const bool is_whole = rest.empty() || end < rest.size();
      if (!is_whole || copied_.size() > 0) copied_.append(rest.substr(0, end));
      if (is_whole) {
        if (has_quote && has_quotes_) {
          note("Unquoted fields cannot have quotes inside");
        } else if (to != nullptr) {
          add(copied_.size() > 0 ? copied_.text() : rest.substr(0, end), to);
        }
      }
      file.consume(end);
      if (is_whole) return;
    }
  }

  void read_quoted(FileReader& file, Element* to) {
    file.consume(1);
    bool is_wrong = false;
    for (;;) {
      const std::string_view rest = file.peek();
      if (rest.empty()) return note("Reached end of file without closing quoted field in record");
      const size_t end = std::min(rest.find('"'), rest.size());
      const bool is_quote = end < rest.size();
      copied_.append(rest.substr(0, end));
      file.consume(end + (is_quote ? 1 : 0));
      if (!is_quote) continue;
      const std::string_view after = file.peek();
      if (after.empty() || is_end(after[0])) break;
      if (after[0] == '"') {
        copied_.append("\"");
        file.consume(1);
      } else {
        is_wrong = true;
      }
    }
    if (is_wrong) {
      note("Quote inside a string has to be escaped by another quote");
    } else if (to != nullptr) {
      add(copied_.text(), to);
    }
  }

  // Appends the value of a field.
  void add(std::string_view text, Element* to) {
    const size_t i = to->size();
    if (i >= state_->spec.size())
      return note(cat("Expect ", state_->spec.size(), " fields but have more in record"));
    const Tensor& fallback = state_->operands[kDefaults + i];
    const DType dtype = fallback.dtype();
    to->push_back(Tensor());
    if (text.empty() || text == missing_) {
      if (fallback.num_elements() != 1)
        return note(cat("Field ", i, " is required but missing in record!"));
      (*to)[i] = fallback.shared_as(Shape{});
      return;
    }
    Tensor value = converted(dtype, text);
    if (!value.defined())
      return note(cat("Field ", i, " in record is not a valid ", word_for(dtype), ": ", text));
    (*to)[i] = std::move(value);
  }

  const char delimiter_;
  const bool has_header_, has_quotes_;
  const std::string_view missing_;
  const std::vector<int64_t> selected_, excluded_;
  ByteBuffer copied_;  // the field that is read, where it is not in the reader's buffer
  std::optional<std::string> wrong_;
};

void plan(const DatasetState& state, PlanBuilder& plan) {
  plan_reader(state, plan, compression_of(state), state.number(kBuffer));
}

}  // namespace

extern const StageDef kCsv;
const StageDef kCsv = {.name = "Csv",
                       .num_inputs = 0,
                       .num_operands = kAnyNumber,
                       .infer = infer,
                       .cardinality = [](const DatasetState&) -> int64_t { return kUnknown; },
                       .iterate = make_iterator<CsvIterator>,
                       .plan = plan};

}  // namespace penstock::data
