// FilesIterator: the elements of files, one file after the other. A stage derives from it what an
// element is.
//
// The position is a file's number and the offset in its contents. A file that cannot be opened
// fails at every call; one that turns out to be damaged fails once, and the next file follows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "data/files/file_reader.h"
#include "data/plan_builder.h"
#include "data/stage_iterator.h"

namespace penstock::data {

class FilesIterator : public NamedIterator {
 public:
  FilesIterator(StateRef state, const Scope& scope, Compression compression, int64_t buffer_bytes)
      : NamedIterator(std::move(state), scope),
        compression_(compression),
        buffer_bytes_(buffer_bytes) {}
  bool next(Element& element) final;

 protected:
  // The files; operand 0 unless a stage says otherwise.
  virtual int64_t num_files() const { return state_->operands[0].num_elements(); }
  virtual std::string file_name(int64_t i) const {
    return std::string(state_->operands[0].string_at(i));
  }
  int64_t file_index() const { return index_; }
  // Whether a damaged file is left for the next one, or fails again at every call.
  virtual bool leaves_damaged() const { return true; }
  // The next element of the file; false at its end. InvalidArgumentError is about this element
  // alone; other errors are about the file.
  virtual bool next_in(FileReader& file, Element& element) = 0;
  // Looks at a file that was opened at its start. What it throws is thrown at every call.
  virtual void check(FileReader&) {}
  // Passes over what comes before the first element.
  virtual void begin(FileReader&) {}
  // Where next_in() will go on.
  virtual int64_t position(const FileReader& file) const { return file.position(); }
  // Drops what was read ahead.
  virtual void forget() {}

 private:
  void save_own(StateWriter& out) override;
  void restore_own(StateReader& in) override;
  void open_file();
  void leave_file(int64_t index, int64_t offset);

  const Compression compression_;
  const int64_t buffer_bytes_;
  int64_t index_ = 0;
  int64_t offset_ = 0;  // where a file that is not open goes on
  std::unique_ptr<FileReader> file_;
};

// Checks an operand of names.
void check_names(const DatasetState& state);
// The text of a scalar operand.
std::string_view text_of(const DatasetState& state, size_t operand);
// Replaces *element by one string, whose reference it takes.
void set_string(Element& element, StringRef string);
// Adds the buffers of a FilesIterator.
void plan_reader(const DatasetState& state, PlanBuilder& plan, Compression compression,
                 int64_t buffer_bytes);

}  // namespace penstock::data
