// Saved datasets as files. The folder contains
//
//   dataset_spec.pb    a record (records.h) with what is known about the dataset, as StateWriter
//                      writes it: a magic text, the name of the run, the compression, the spec, the
//                      host's structure, the number of elements in each shard. TensorFlow's file of
//                      this name has other contents
//   RUN/shard-00000 …  a record for each element, as StateWriter writes elements. A compressed file
//                      is one stream
//
// A run is a folder with a new name. The file dataset_spec.pb is written last, under another name,
// and then renamed: until then readers see what was there before. Records have checksums, and the
// number of elements is known: damaged files and missing elements are a DataLossError.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <penstock/data/saved.h>

#include "data/files/compression.h"
#include "data/files/files_iterator.h"

namespace penstock::data {

inline constexpr int64_t kSavedBuffer = 256 << 10;  // of a reader or a writer

struct SavedInfo {
  std::string run;
  SavedDataset about;
};
SavedInfo read_saved(const std::string& path);
// Whether something is saved there.
bool is_saved(const std::string& path);
std::string shard_file(const std::string& path, const std::string& run, int64_t shard);

// Writes a saved dataset. Without finish() nothing of it remains.
class SavedWriter {
 public:
  SavedWriter(std::string path, Compression compression, Spec spec, std::string structure);
  ~SavedWriter();
  SavedWriter(const SavedWriter&) = delete;
  SavedWriter& operator=(const SavedWriter&) = delete;
  // Pre: the shard's number is not negative.
  void add(const Element& element, int64_t shard);
  void finish();

 private:
  class Shard;
  const std::string path_;
  const Compression compression_;
  SavedInfo info_;
  std::map<int64_t, std::unique_ptr<Shard>> shards_;
};

// The elements of one shard or, with kAllShards, of all, one shard after the other.
inline constexpr int64_t kAllShards = -1;
class SavedIterator final : public FilesIterator {
 public:
  SavedIterator(StateRef state, const Scope& scope, std::string path, SavedInfo info,
                Compression compression, int64_t shard)
      : FilesIterator(std::move(state), scope, compression, kSavedBuffer),
        path_(std::move(path)),
        info_(std::move(info)),
        shard_(shard) {}

 private:
  int64_t num_files() const override;
  std::string file_name(int64_t i) const override;
  bool leaves_damaged() const override { return false; }
  void begin(FileReader&) override {
    given_ = 0;
    is_counted_ = true;
  }
  void forget() override { is_counted_ = false; }
  bool next_in(FileReader& file, Element& element) override;

  const std::string path_;
  const SavedInfo info_;
  const int64_t shard_;
  int64_t given_ = 0;        // of this file
  bool is_counted_ = false;  // it was read from its start
};

}  // namespace penstock::data
