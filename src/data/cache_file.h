// The files of a cache: NAME.data-00000-of-00001 with the elements, one after the other, and
// NAME.index, which says what they are. Both are written under other names and renamed at the end,
// the index last: a cache that has an index is complete.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <penstock/data/element.h>

#include "data/element_codec.h"

namespace penstock::data {

bool has_cache_file(const std::string& name);

class CacheFileReader {
 public:
  // Throws NotFoundError without files, DataLossError for damaged ones, InvalidArgumentError if they
  // are of another dataset.
  CacheFileReader(const std::string& name, const Spec& spec);
  ~CacheFileReader();
  CacheFileReader(const CacheFileReader&) = delete;
  CacheFileReader& operator=(const CacheFileReader&) = delete;

  // Replaces *element; false at the end. Throws DataLossError for a damaged file.
  bool next(Element& element);
  // Where the next element begins, and its number.
  int64_t offset() const { return offset_; }
  int64_t number() const { return number_; }
  void seek(int64_t offset, int64_t number);

 private:
  friend class CacheFileWriter;
  // Of a file that is being written.
  CacheFileReader(const std::string& path, const ElementCodec& codec, int64_t count);
  std::string_view read(int64_t bytes);

  const std::string path_;
  const ElementCodec codec_;
  int descriptor_ = -1;
  int64_t count_ = 0;
  int64_t offset_ = 0, number_ = 0;
  std::string buffer_;  // what follows offset_ in the file
  size_t used_ = 0;     // of the buffer
};

class CacheFileWriter {
 public:
  // Throws NotFoundError if the folder does not exist, ResourceExhaustedError for a full disk.
  CacheFileWriter(const std::string& name, const Spec& spec);
  // Removes what is not finished.
  ~CacheFileWriter();
  CacheFileWriter(const CacheFileWriter&) = delete;
  CacheFileWriter& operator=(const CacheFileWriter&) = delete;

  // If this throws, the cache is not to be finished.
  void add(const Element& element);
  int64_t count() const { return count_; }
  // The elements so far.
  CacheFileReader reader();
  // Makes the cache complete.
  void finish();

 private:
  void flush();

  const std::string name_, path_;
  const ElementCodec codec_;
  const int process_;
  int descriptor_ = -1;
  int64_t count_ = 0, bytes_ = 0;
  std::string buffer_;
  bool is_finished_ = false;
};

}  // namespace penstock::data
