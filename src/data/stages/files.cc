// TextLine, TFRecord, FixedLengthRecord: lines and records of files.
#include <algorithm>
#include <cstring>

#include <penstock/base/checked.h>
#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/memory/strings.h>

#include "data/files/files_iterator.h"
#include "data/files/records.h"

namespace penstock::data {
namespace {

const Spec& one_string() {
  static const auto* const spec = new Spec{{DType::kString, Shape{}}};
  return *spec;
}

// TextLine and TFRecord: filenames, compression_type, buffer_size.
enum { kNames, kCompression, kBuffer };

void infer_text(DatasetState& state) {
  check_names(state);
  check_scalar(state, kBuffer, "buffer_size");
  if (is_known(state, kCompression) && !compression_named(text_of(state, kCompression)).has_value())
    throw InvalidArgumentError("Unsupported compression_type.");
  if (is_known(state, kBuffer) && state.number(kBuffer) < 0)
    throw InvalidArgumentError("`buffer_size` must be >= 0 (0 == default)");
  state.spec = one_string();
}

// TensorFlow reads a file whose compression it does not know as it is.
void infer_records(DatasetState& state) {
  check_names(state);
  check_scalar(state, kBuffer, "buffer_size");
  if (is_known(state, kCompression)) text_of(state, kCompression);
  if (is_known(state, kBuffer) && state.number(kBuffer) < 0)
    throw InvalidArgumentError("`buffer_size` must be >= 0 (0 == no buffering)");
  state.spec = one_string();
}

Compression compression_of(const DatasetState& state) {
  return compression_named(text_of(state, kCompression)).value_or(Compression::kNone);
}

class TextLineIterator final : public FilesIterator {
 public:
  TextLineIterator(StateRef state, const Scope& scope)
      : FilesIterator(state, scope, compression_of(*state), state->number(kBuffer)) {}

 private:
  bool next_in(FileReader& file, Element& element) override {
    std::string_view rest = file.peek();
    if (rest.empty()) return false;
    size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    if (end != std::string_view::npos && line.find('\r') == std::string_view::npos) {
      set_string(element, make_string(line));
      file.consume(end + 1);
      return true;
    }
    // Carriage returns are dropped, wherever they stand.
    ByteBuffer text;
    bool is_complete = false;
    while (!is_complete && !(rest = file.peek()).empty()) {
      end = rest.find('\n');
      is_complete = end != std::string_view::npos;
      line = rest.substr(0, end);
      const size_t used = line.size() + (is_complete ? 1 : 0);
      while (!line.empty()) {
        const size_t part = std::min(line.find('\r'), line.size());
        text.append(line.substr(0, part));
        line.remove_prefix(std::min(part + 1, line.size()));
      }
      file.consume(used);
    }
    if (!is_complete && text.size() == 0) return false;
    set_string(element, make_string(text.text()));
    return true;
  }
};

class RecordIterator final : public FilesIterator {
 public:
  RecordIterator(StateRef state, const Scope& scope)
      : FilesIterator(state, scope, compression_of(*state), state->number(kBuffer)) {}

 private:
  bool next_in(FileReader& file, Element& element) override {
    StringRef record;
    if (!read_record(file, &record)) return false;
    set_string(element, record);
    return true;
  }
};

void plan_lines(const DatasetState& state, PlanBuilder& plan) {
  plan_reader(state, plan, compression_of(state), state.number(kBuffer));
}

// FixedLengthRecord.
enum { kFixedNames, kRecord, kHeader, kFooter, kFixedBuffer, kFixedCompression };

void infer_fixed(DatasetState& state) {
  check_names(state);
  constexpr std::string_view kWords[] = {"record_bytes", "header_bytes", "footer_bytes",
                                         "buffer_size"};
  constexpr std::string_view kRules[] = {
      "`record_bytes` must be > 0", "`header_bytes` must be >= 0", "`footer_bytes` must be >= 0",
      "`buffer_size` must be >= 0 (0 == no buffering)"};
  for (size_t i = 0; i < 4; ++i) check_scalar(state, kRecord + i, kWords[i]);
  for (size_t i = 0; i < 4; ++i) {
    if (is_known(state, kRecord + i) && state.number(kRecord + i) < (i == 0 ? 1 : 0))
      throw InvalidArgumentError(kRules[i]);
  }
  if (is_known(state, kFixedCompression) &&
      !compression_named(text_of(state, kFixedCompression)).has_value())
    throw InvalidArgumentError("Unsupported compression_type.");
  state.spec = one_string();
}

Compression fixed_compression(const DatasetState& state) {
  return *compression_named(text_of(state, kFixedCompression));
}

class FixedIterator final : public FilesIterator {
 public:
  FixedIterator(StateRef state, const Scope& scope)
      : FilesIterator(state, scope, fixed_compression(*state), state->number(kFixedBuffer)),
        header_(std::min(state_->number(kHeader), kMost)),
        record_(std::min(state_->number(kRecord), kMost)),
        footer_(std::min(state_->number(kFooter), kMost)) {}

 private:
  void check(FileReader& file) override {
    const int64_t size = file.bytes_left();
    has_size_ = size != FileReader::kUnknownSize;
    if (!has_size_) return;
    const int64_t body = body_of(size);
    if (body >= 0 && body % record_ != 0) throw InvalidArgumentError(words(file, body));
  }

  void begin(FileReader& file) override { file.skip(header_); }

  bool next_in(FileReader& file, Element& element) override {
    if (has_size_) {
      const int64_t left = file.bytes_left();
      if (file.position() < header_ || left < footer_)
        throw DataLossError(words(file, body_of(file.position() + left)));
      if (left - footer_ < record_) return false;
      char* text = nullptr;
      StringRef string = make_string(static_cast<size_t>(record_), &text);
      const size_t found = file.read(text, static_cast<size_t>(record_));
      set_string(element, string);
      if (found < static_cast<size_t>(record_))
        throw DataLossError(words(file, body_of(file.position())));
      return true;
    }
    // The end is known when it is reached: as many bytes as the footer has are read ahead.
    const int64_t wanted = record_ + footer_;
    while (static_cast<int64_t>(ahead_.size()) < wanted) {
      const std::string_view next =
          file.peek().substr(0, static_cast<size_t>(wanted) - ahead_.size());
      if (next.empty()) break;
      ahead_.append(next);
      file.consume(next.size());
    }
    const auto found = static_cast<int64_t>(ahead_.size());
    if (found == footer_ && file.position() >= header_) return false;
    if (found < wanted) throw DataLossError(words(file, body_of(file.position())));
    const std::string_view text = ahead_.text();
    set_string(element, make_string(text.substr(0, static_cast<size_t>(record_))));
    std::memmove(ahead_.data(), text.data() + record_, static_cast<size_t>(footer_));
    ahead_.resize(static_cast<size_t>(footer_));
    return true;
  }

  int64_t position(const FileReader& file) const override {
    return file.position() - static_cast<int64_t>(ahead_.size());
  }
  void forget() override { ahead_.reset(); }

  // The bytes of a file's records; negative if there is not even room for header and footer.
  int64_t body_of(int64_t size) const { return size - header_ - footer_; }

  std::string words(const FileReader& file, int64_t body) const {
    return cat("Excluding the header (", header_, " bytes) and footer (", footer_,
               " bytes), input file \"", file.path(), "\" has body length ", body,
               " bytes, which is not an exact multiple of the record length (", record_,
               " bytes).");
  }

  static constexpr int64_t kMost = INT64_MAX / 4;  // sums of these do not overflow
  const int64_t header_, record_, footer_;
  bool has_size_ = false;
  ByteBuffer ahead_;
};

void plan_fixed(const DatasetState& state, PlanBuilder& plan) {
  const Compression compression = fixed_compression(state);
  plan_reader(state, plan, compression, state.number(kFixedBuffer));
  int64_t ahead;
  if (compression != Compression::kNone &&
      checked_add(state.number(kRecord), state.number(kFooter), &ahead))
    plan.bytes(state, "a record read ahead", ahead, false);
}

int64_t unknown_cardinality(const DatasetState&) { return kUnknown; }

}  // namespace

extern const StageDef kTextLine, kTFRecord, kFixedLengthRecord;
const StageDef kTextLine = {.name = "TextLine",
                            .num_inputs = 0,
                            .num_operands = 3,
                            .infer = infer_text,
                            .cardinality = unknown_cardinality,
                            .iterate = make_iterator<TextLineIterator>,
                            .plan = plan_lines};
const StageDef kTFRecord = {.name = "TFRecord",
                            .num_inputs = 0,
                            .num_operands = 3,
                            .infer = infer_records,
                            .cardinality = unknown_cardinality,
                            .iterate = make_iterator<RecordIterator>,
                            .plan = plan_lines};
const StageDef kFixedLengthRecord = {.name = "FixedLengthRecord",
                                     .num_inputs = 0,
                                     .num_operands = 6,
                                     .infer = infer_fixed,
                                     .cardinality = unknown_cardinality,
                                     .iterate = make_iterator<FixedIterator>,
                                     .plan = plan_fixed};

}  // namespace penstock::data
