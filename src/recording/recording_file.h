// The file of a recording: a header of one page, then chunks. A chunk starts with a ChunkHeader and
// holds records of one kind; the chunks of a kind are in order. Numbers have the machine's byte
// order. `python/penstock/profiler/_raw.py` reads it, also while it is being written and after the
// process was killed.
//
// Not thread-safe: the recorder's lock protects it. Nothing here throws or calls malloc. Pages of
// the file are reserved before they are written, so a full disk is an error code and not a signal.
// A file that somebody truncates loses its contents (see mapped_file.h), and is_cut() is true.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <penstock/ledger/ledger.h>

namespace penstock::recording {

enum class Kind : uint32_t {
  kBlocks = 1,
  kNames,  // a length and the characters, padded to four bytes; a length of ~0: in the next chunk
  kSites,
  kSamples,
  kPlans,
  kBefore,
  kNotes,
};
inline constexpr size_t kNumKinds = 8;

struct Header {
  char magic[8];
  uint32_t version;
  int32_t pid;
  int64_t began;      // ns since 1970
  int64_t monotonic;  // the same moment on the clock of the times below
  int64_t duration;   // ns, at the last update
  int64_t counts[kNumKinds];
  int64_t num_dropped;
  int64_t num_events;
  // The first names are those of the dtypes, then of the tags.
  int32_t num_dtypes;
  int32_t num_tags;
  // The data of `penstock top`, updated ten times a second.
  int64_t rss;
  int64_t current;
  int64_t peak;
  int64_t limit;
  int64_t is_finished;
  int64_t tag_current[kNumTags];
  int64_t tag_peak[kNumTags];
  int64_t num_lost;  // names and records other than blocks that found no room
};

struct ChunkHeader {
  uint32_t kind;
  uint32_t bytes;  // of the chunk, including this header
  char unused[56];
};

// Names are indices into the names; -1 is none.
struct BlockRecord {
  int64_t start, end, bytes;  // ns since the start; end is -1 while held
  int32_t site, op, owner, shape;
  uint8_t tag, dtype, device;
  uint8_t is_before;  // held when the recording began: its tag then, plus one
  uint32_t unused;
};
struct SiteRecord {
  int32_t file, function, line, unused;
  int64_t live_bytes, live_count, total_bytes, total_count, peak_bytes, more_unused;
};
struct SampleRecord {
  int64_t time, rss, held, foreign, mapped, cached, profiler, unused;
};
struct PlanRecord {
  int32_t name, file, line, unused;
  int64_t planned_peak, measured_peak, calls, more_unused[3];
};
struct BeforeRecord {
  int32_t owner, tag;
  int64_t bytes, count, unused;
};
struct NoteRecord {
  int32_t key, text;
};
static_assert(sizeof(BlockRecord) == 48 && sizeof(SiteRecord) == 64 && sizeof(SampleRecord) == 64);
static_assert(sizeof(PlanRecord) == 64 && sizeof(BeforeRecord) == 32 && sizeof(NoteRecord) == 8);

class File {
 public:
  // The errno if the file cannot be created; 0 on success.
  int open(const char* path) noexcept;
  // Truncates the unused part, unmaps and closes.
  void close() noexcept;
  // As close, in a child process: the file belongs to the parent.
  void abandon() noexcept;

  Header& header() noexcept { return *header_; }
  const Header& header() const noexcept { return *header_; }
  // A new zeroed record of the kind, and its index; null if there is no room.
  template <typename Record>
  Record* add(Kind kind, int32_t* place) noexcept {
    return static_cast<Record*>(add(kind, sizeof(Record), place));
  }
  template <typename Record>
  Record& at(Kind kind, int32_t place) noexcept {
    constexpr size_t kPerPiece = kPieceBytes / sizeof(Record);
    const size_t index = static_cast<size_t>(place);
    char* piece = pieces_[static_cast<size_t>(kind)][index / kPerPiece];
    return *reinterpret_cast<Record*>(piece + index % kPerPiece * sizeof(Record));
  }
  // The index of a new name, whose text does not move; -1 if there is no room.
  int32_t add_name(std::string_view name, const char** kept) noexcept;

  int64_t file_bytes() const noexcept { return file_bytes_; }
  // Whether somebody truncated the file; it then grows no more.
  bool is_cut() noexcept;
  int64_t resident_bytes() const noexcept;
  // Drops the pages of older blocks from memory; the file keeps them.
  void drop_old_pages() noexcept;

 private:
  static constexpr size_t kMaxPieces = 16384;     // 4 GiB of blocks
  static constexpr size_t kMaxOtherPieces = 512;  // of any other kind

 public:
  // The most bytes of records in a chunk, after its header.
  static constexpr size_t kChunkBytes = 256 << 10;
  static constexpr size_t kPieceBytes = kChunkBytes - sizeof(ChunkHeader);

 private:
  void* add(Kind kind, size_t bytes, int32_t* place) noexcept;
  char* add_chunk(Kind kind) noexcept;
  size_t num_pieces(Kind kind) const noexcept { return num_pieces_[static_cast<size_t>(kind)]; }

  int descriptor_ = -1;
  Header* header_ = nullptr;
  int64_t file_bytes_ = 0;
  bool is_cut_ = false;
  size_t name_bytes_ = 0;      // used of the last chunk of names
  size_t first_resident_ = 0;  // piece of blocks
  std::array<size_t, kNumKinds> num_pieces_{};
  std::array<char**, kNumKinds> pieces_{};
  char* block_pieces_[kMaxPieces] = {};
  char* other_pieces_[kNumKinds][kMaxOtherPieces] = {};
};

}  // namespace penstock::recording
