// DecodeCSV: the fields of comma-separated records, a tensor for each column.
#include <algorithm>
#include <cstring>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>

#include "base/parse_number.h"
#include "ops/text.h"

namespace penstock {
namespace {

using text::words;

enum { kDelimiter, kQuotes, kMissing, kSelected };

constexpr DTypeSet kColumnTypes =
    DTypeSet(DType::kInt32) | DType::kInt64 | DType::kFloat32 | DType::kFloat64 | DType::kString;

void infer(InferContext& ctx) {
  const size_t columns = ctx.num_inputs() - 1;
  if (ctx.attr(kDelimiter).as_string().size() != 1) ctx.fail("field_delim should be only 1 char");
  const auto selected = ctx.attr(kSelected).as_ints();
  if (!selected.empty() && selected.size() != columns)
    ctx.fail("select_cols should match output size");
  int64_t before = -1;
  for (const int64_t column : selected) {
    if (column < 0) ctx.fail("select_cols should be non-negative indices");
    if (column <= before) ctx.fail("select_cols should be strictly increasing indices");
    before = column;
  }
  for (size_t k = 0; k < columns; ++k) {
    const View& fallback = ctx.input(1 + k);
    if (!kColumnTypes.has(fallback.dtype))
      ctx.fail("Value for attr 'OUT_TYPE' of ", fallback.dtype,
               " is not in the list of allowed values: float, double, int32, int64, string");
    if (fallback.shape.has_rank() && fallback.shape.rank() > 1)
      ctx.fail("Each record default should be at most rank 1");
    if (fallback.shape.is_known() && fallback.size() > 1)
      ctx.fail("There should only be 1 default per field but field ", k, " has ", fallback.size());
    ctx.add_output(fallback.dtype, ctx.shape(0));
  }
}

// The fields of one record.
class Fields {
 public:
  Fields(std::string_view record, char delimiter, bool has_quotes)
      : rest_(record), delimiter_(delimiter), has_quotes_(has_quotes), is_at_end_(record.empty()) {}

  std::string_view field;  // with its quotes doubled where they stand in quotes
  bool has_pairs = false;  // whether there are such

  // False at the end.
  bool next() {
    if (is_at_end_) return false;
    has_pairs = false;
    if (has_quotes_ && rest_.starts_with('"')) {
      read_quoted();
    } else {
      size_t end = 0;
      for (; end < rest_.size() && rest_[end] != delimiter_; ++end) {
        const char c = rest_[end];
        if (has_quotes_ && (c == '"' || c == '\n' || c == '\r'))
          throw InvalidArgumentError("[DecodeCSV] Unquoted fields cannot have quotes/CRLFs inside");
      }
      field = rest_.substr(0, end);
      rest_.remove_prefix(end);
    }
    is_at_end_ = rest_.empty();
    if (!is_at_end_) rest_.remove_prefix(1);
    return true;
  }

 private:
  void read_quoted() {
    size_t i = 1;
    for (;; ++i) {
      if (i >= rest_.size())
        throw InvalidArgumentError(
            "[DecodeCSV] Quoted field has to end with quote followed by delim or end");
      if (rest_[i] != '"') continue;
      if (i + 1 == rest_.size() || rest_[i + 1] == delimiter_) break;
      if (rest_[i + 1] != '"')
        throw InvalidArgumentError(
            "[DecodeCSV] Quote inside a string has to be escaped by another quote");
      has_pairs = true;
      ++i;
    }
    field = rest_.substr(1, i - 1);
    rest_.remove_prefix(i + 1);
  }

  std::string_view rest_;
  const char delimiter_;
  const bool has_quotes_;
  bool is_at_end_;
};

// The field with its pairs of quotes made one.
StringRef string_of(const Fields& fields) {
  if (!fields.has_pairs) return make_string(fields.field);
  size_t size = 0;
  for (size_t i = 0; i < fields.field.size(); ++i, ++size) i += fields.field[i] == '"';
  char* to = nullptr;
  const StringRef string = make_string(size, &to);
  for (size_t i = 0; i < fields.field.size(); ++i) {
    *to++ = fields.field[i];
    i += fields.field[i] == '"';
  }
  return string;
}

std::string_view word(DType dtype) {
  return dtype == DType::kFloat32   ? "float"
         : dtype == DType::kFloat64 ? "double"
                                    : dtype_name(dtype);
}

// Converts a field into element `row` of its column.
void convert(const Fields& fields, const View& out, int64_t row, size_t column) {
  bool is_number = true;
  switch (out.dtype) {
    case DType::kString:
      out.as<StringRef>()[row] = string_of(fields);
      break;
    case DType::kInt32:
      is_number = parse_number(fields.field, out.as<int32_t>() + row);
      break;
    case DType::kInt64:
      is_number = parse_number(fields.field, out.as<int64_t>() + row);
      break;
    case DType::kFloat32:
      is_number = parse_number(fields.field, out.as<float>() + row);
      break;
    default:
      is_number = parse_number(fields.field, out.as<double>() + row);
  }
  if (!is_number)
    throw InvalidArgumentError(cat("[DecodeCSV] Field ", column, " in record ", row,
                                   " is not a valid ", word(out.dtype), ": ", fields.field));
}

void set_default(const View& fallback, const View& out, int64_t row, size_t column) {
  if (fallback.size() != 1)
    throw InvalidArgumentError(
        cat("[DecodeCSV] Field ", column, " is required but missing in record ", row, "!"));
  const size_t size = dtype_size(out.dtype);
  std::memcpy(out.as<char>() + static_cast<size_t>(row) * size, fallback.as<char>(), size);
  if (out.dtype == DType::kString) retain_strings({fallback.as<StringRef>(), 1});
}

KernelResult cpu(const KernelContext& ctx) {
  const size_t columns = ctx.outputs.size();
  const char delimiter = ctx.attrs[kDelimiter].as_string()[0];
  const bool has_quotes = ctx.attrs[kQuotes].as_bool();
  const std::string_view missing = ctx.attrs[kMissing].as_string();
  const auto selected = ctx.attrs[kSelected].as_ints();
  const int64_t rows = ctx.inputs[0].size();
  for (int64_t row = 0; row < rows; ++row) {
    Fields fields(text::at(ctx.inputs[0], row), delimiter, has_quotes);
    size_t found = 0;
    for (int64_t column = 0; fields.next(); ++column) {
      if (!selected.empty() && (found == columns || selected[found] != column)) continue;
      if (found < columns) {
        if (fields.field.empty() || fields.field == missing) {
          set_default(ctx.inputs[1 + found], ctx.outputs[found], row, found);
        } else {
          convert(fields, ctx.outputs[found], row, found);
        }
      }
      ++found;
    }
    if (found != columns)
      throw InvalidArgumentError(
          cat("[DecodeCSV] Expect ", columns, " fields but have ", found, " in record ", row));
  }
  return KernelResult::ok();
}

std::vector<Sample> samples() {
  const SampleInput zero = given(DType::kInt32, {1}, {0});
  const SampleInput none = given(DType::kInt32, {0}, {});
  return {
      {{words({2}, {"1,2", "3,"}), none, given(DType::kInt32, {1}, {9})}},
      {{words({}, {"1,2.5,x"}), zero, f32({1}), words({1}, {""})}},
      {{words({2}, {"5000000000,0.1", ","}), given(DType::kInt64, {1}, {-1}),
        given(DType::kFloat64, {}, {0.5})}},
      {{words({3}, {"\"a,b\",c", "\"a\"\"b\"\"\",", "\"\",\"x\ny\""}), words({1}, {"d"}),
        words({}, {"e"})}},
      {{words({2}, {"1;2", "3;4"}), none, none}, {{"field_delim", ";"}}},
      {{words({1}, {"\"a\",b"}), words({1}, {""}), words({1}, {""})}, {{"use_quote_delim", false}}},
      {{words({2}, {"1,NA", "NA,2"}), zero, zero}, {{"na_value", "NA"}}},
      {{words({2, 1}, {"1,2,3", "4,5,6"}), none, none}, {{"select_cols", {0, 2}}}},
      {{of(DType::kString, {0}), none, words({1}, {""})}},
      {{words({1}, {" 1 , 2"}), none, none}},
  };
}

}  // namespace

PEN_OP_DEF(decode_csv) = {
    .name = "DecodeCSV",
    .doc =
        "The columns of comma-separated records. A default without elements means that the field "
        "must be there.",
    .inputs = {in("records", DType::kString), many("record_defaults", kAnyType, kMixed)},
    .attrs = {string_attr("field_delim", ","), bool_attr("use_quote_delim", true),
              string_attr("na_value", ""), ints_attr("select_cols", kNoInts)},
    .traits = {Trait::kManyOutputs, Trait::kMakesStrings},
    .infer = infer,
    .cpu = cpu,
    .grad = no_gradient,
    .samples = samples,
};

}  // namespace penstock
