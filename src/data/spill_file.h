// SpillFile: a temporary file for elements that have no room in memory. It is named
// penstock-<what>-<process>-<number>.spill, lies in TMPDIR, and is removed with the object; what
// processes left behind that died is removed when the first file is made.
//
// Every record is followed by its checksum. The file is read and written, never mapped: its pages are
// the system's, not the process's.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace penstock::data {

class SpillFile {
 public:
  // A part of a record's bytes.
  struct Part {
    void* data;
    size_t bytes;
  };
  static constexpr int64_t kChecksumBytes = 4;

  // Throws ResourceExhaustedError, which names the path.
  explicit SpillFile(std::string_view what);
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  const std::string& path() const { return path_; }
  // The bytes up to the end of the last record.
  int64_t size() const { return size_; }

  // Writes a record. Throws ResourceExhaustedError if the disk is full.
  void write(int64_t offset, std::span<const Part> parts);
  // Reads a record that was written with the same number of bytes. Throws DataLossError if they
  // are not the ones written.
  void read(int64_t offset, std::span<const Part> parts) const;

  // Room for a record of `bytes` bytes, at a multiple of kUnit.
  static constexpr int64_t kUnit = 64;
  int64_t reserve(int64_t bytes);
  void give_back(int64_t offset, int64_t bytes);

 private:
  void check_process() const;

  std::string path_;
  pid_t process_ = 0;
  int descriptor_ = -1;
  int64_t size_ = 0;
  std::map<int64_t, std::vector<int64_t>> free_;  // offsets, by the size of the room
};

}  // namespace penstock::data
