#include "data/files/files_iterator.h"

#include <string>
#include <utility>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/memory/strings.h>

namespace penstock::data {

bool FilesIterator::next(Element& element) {
  for (;;) {
    scope_.step();
    if (file_ == nullptr) {
      if (index_ == num_files()) return false;
      open_file();
    }
    const int64_t start = position(*file_);
    try {
      if (next_in(*file_, element)) return true;
    } catch (const InvalidArgumentError&) {
      throw;
    } catch (const ResourceExhaustedError&) {
      leave_file(index_, start);  // the element may still be read later
      throw;
    } catch (const Error&) {
      if (leaves_damaged()) {
        leave_file(index_ + 1, 0);
      } else {
        leave_file(index_, start);
      }
      throw;
    }
    leave_file(index_ + 1, 0);
  }
}

void FilesIterator::open_file() {
  auto file = std::make_unique<FileReader>(file_name(index_), compression_, buffer_bytes_);
  check(*file);
  if (offset_ > 0) {
    if (file->skip(offset_) < offset_)
      throw DataLossError(cat(file->path(), " has become shorter: it ends before byte ", offset_));
    file_ = std::move(file);
  } else {
    file_ = std::move(file);
    try {
      begin(*file_);
    } catch (const InvalidArgumentError&) {
      throw;
    } catch (const DataLossError&) {
      leave_file(index_ + 1, 0);
      throw;
    } catch (const Error&) {
      leave_file(index_, 0);
      throw;
    }
  }
}

void FilesIterator::leave_file(int64_t index, int64_t offset) {
  file_.reset();
  forget();
  index_ = index;
  offset_ = offset;
}

void FilesIterator::save_own(StateWriter& out) {
  out.number(index_);
  out.number(file_ == nullptr ? offset_ : position(*file_));
}

void FilesIterator::restore_own(StateReader& in) {
  const int64_t index = in.count(num_files());
  leave_file(index, in.count(INT64_MAX));
}

void check_names(const DatasetState& state) {
  const Tensor& names = state.operands[0];
  if (names.dtype() != DType::kString)
    throw TypeError(
        cat("[", state.stage->name, "Dataset] filenames must be strings, not ", names.dtype()));
  if (names.shape().has_rank() && names.rank() > 1)
    throw InvalidArgumentError("`filenames` must be a scalar or a vector.");
}

std::string_view text_of(const DatasetState& state, size_t operand) {
  const Tensor& text = state.operands[operand];
  if (text.dtype() != DType::kString || text.num_elements() != 1)
    throw InvalidArgumentError(
        cat("[", state.stage->name, "Dataset] operand ", operand, " must be one string"));
  return text.string_at(0);
}

void set_string(Element& element, StringRef string) {
  Tensor tensor;
  try {
    tensor = Tensor::empty(DType::kString, Shape{});
  } catch (...) {
    release_strings({&string, 1});
    throw;
  }
  *static_cast<StringRef*>(tensor.raw()) = string;
  element.clear();
  element.push_back(std::move(tensor));
}

void plan_reader(const DatasetState& state, PlanBuilder& plan, Compression compression,
                 int64_t buffer_bytes) {
  if (state.operands[0].num_elements() == 0) return;
  plan.bytes(state, compression == Compression::kNone ? "a read buffer" : "buffers to decompress",
             FileReader::bytes_held(compression, buffer_bytes), compression == Compression::kNone);
}

}  // namespace penstock::data
