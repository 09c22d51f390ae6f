// Recorder: the one recording of the process, behind one lock. It maps names, lines and shapes to
// indices in the file's tables, and maintains the totals of each line.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string_view>

#include <penstock/core/dtype.h>
#include <penstock/core/shape.h>
#include <penstock/memory/buffer.h>
#include <penstock/recording/recording.h>

#include "recording/recording_file.h"
#include "recording/recording_index.h"

namespace penstock::recording {

// All members are called with `lock` held and, unless stated otherwise, while recording.
class Recorder {
 public:
  std::mutex lock;
  std::atomic<LocateFn> locate{nullptr};
  File file;
  // Of the recording, or of the last one; never 0 while recording.
  uint16_t number = 0;

  int64_t now() const noexcept;
  // Returns the errno if the file cannot be created.
  int begin(const char* path) noexcept;
  void end() noexcept;

  int32_t name_of(std::string_view text) noexcept;
  int32_t shape_of(const Shape& shape) noexcept;
  Site site_of(std::string_view file_name, int line, std::string_view function) noexcept;
  int32_t plan_of(const CallScope::Plan& plan) noexcept;

  // Adds a record of the buffer's bytes under its tag and owner; false if there is no room.
  bool add_block(Buffer& buffer, Site site, int64_t start) noexcept;
  void end_block(int32_t record, int64_t time) noexcept;
  BlockRecord& block(int32_t record) noexcept {
    return file.at<BlockRecord>(Kind::kBlocks, record);
  }
  bool has(const Buffer& buffer) const noexcept { return buffer.recording == number; }
  void set_owner(BlockRecord& block, ledger::Owner owner) noexcept;
  int64_t table_bytes() const noexcept;
  std::string_view text_of(int32_t name) const noexcept;

 private:
  struct OwnerName {
    uint32_t serial;
    int32_t name;
  };
  struct KnownShape {
    Shape shape;
    int32_t name = -1;
  };

  int32_t name_of_owner(ledger::Owner owner, const ledger::OwnerInfo& info) noexcept;
  void add_first_names() noexcept;
  void add_before() noexcept;

  Index names_, sites_, plans_;
  OwnerName owners_[ledger::kMaxOwners] = {};
  KnownShape shapes_[256];  // by their hash
};

Recorder& recorder() noexcept;

}  // namespace penstock::recording
