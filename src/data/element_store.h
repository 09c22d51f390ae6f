// ElementStore: numbered slots for the elements that a stage keeps. The spec decides the form:
//
//   packed    fixed size, not large: bytes, back to back in chunks; nothing is added to an element
//   whole     fixed size, large: the tensors themselves, without a copy if nobody shares them
//   encoded   strings or open shapes: one buffer of bytes an element
//   loose     elements with datasets: as they are
//
// What the elements take is booked under `dataset`. The store takes memory as long as the tag stays
// within its share of the budget; what does not fit goes to a file, except loose elements.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <penstock/data/element.h>
#include <penstock/memory/buffer.h>
#include <penstock/memory/counted.h>

#include "data/element_codec.h"
#include "data/spill_file.h"

namespace penstock::data {

class ElementStore {
 public:
  // `what` names the file. No slot beyond `expected` is used; kUnknown where the number is not known.
  ElementStore(const Spec& spec, std::string_view what, int64_t expected);
  ~ElementStore();
  ElementStore(const ElementStore&) = delete;
  ElementStore& operator=(const ElementStore&) = delete;

  // Stores the element in an empty slot; its tensors may then share memory with the store. If this
  // throws, the slot stays empty. New slots are put in ascending order.
  void put(int64_t slot, Element& element);
  // Moves an element out, and that of `filler` into its place, so that `filler` is empty then; the
  // two may be the same. If this throws, nothing has changed.
  void take(int64_t slot, int64_t filler, Element& element);
  // The element, which stays. Several threads may call this at once.
  void peek(int64_t slot, Element& element) const;
  // Nothing more will be put: returns what is kept for slots from `slots` on. The memory of others
  // is returned as they become empty.
  void finish(int64_t slots);

  // The most bytes of the tag `dataset` that stores go up to: half of the budget that nothing else
  // uses.
  static int64_t share();
  // Of packed elements; with the buffer's header it is a block of the allocator.
  static constexpr int64_t kChunkBytes = (1 << 20) - sizeof(Buffer);
  // What an element takes whose spec, with all sizes known, is `known`; kUnknownBytes if they are
  // not known.
  struct Footprint {
    int64_t bytes;
    bool is_packed;
  };
  static Footprint footprint(const Spec& spec, const Spec& known);
  // The path of the file; empty as long as everything fits into memory.
  std::string file() const { return file_ == nullptr ? std::string() : file_->path(); }

 private:
  enum class Form : uint8_t { kPacked, kWhole, kEncoded, kLoose };
  using Words = std::vector<uint64_t, Counted<uint64_t, Tag::kHost>>;
  // A number of consecutive slots.
  struct Chunk {
    int64_t used = 0;  // slots with an element
    // Packed: the first slots are in memory, the others in the file.
    BufferRef buffer;
    int64_t in_memory = 0;
    bool is_decided = false;  // in_memory is final
    // Whole and encoded: for each slot a Buffer's address (whole: for each component), or a place in
    // the file.
    Words words;
    std::vector<Element> loose;
  };

  Chunk& chunk_of(int64_t slot) { return chunks_[static_cast<size_t>(slot / slots_per_chunk_)]; }
  const Chunk& chunk_of(int64_t slot) const {
    return chunks_[static_cast<size_t>(slot / slots_per_chunk_)];
  }
  // Makes sure that the slot has a place.
  Chunk& prepare(int64_t slot);
  void give_memory(Chunk& chunk, int64_t first, int64_t within);
  SpillFile& file_for_writing();

  void put_packed(int64_t slot, const Element& element);
  void read_packed(int64_t slot, Element& element) const;
  void move_packed(int64_t from, int64_t to);
  char* packed_place(int64_t slot) const;  // null if it is in the file
  int64_t packed_offset(int64_t slot) const;

  std::span<uint64_t> words_of(Chunk& chunk, int64_t slot) const;
  void put_whole(std::span<uint64_t> words, Element& element);
  void put_encoded(std::span<uint64_t> words, const Element& element);
  void read_words(std::span<const uint64_t> words, Element& element) const;
  void free_words(std::span<uint64_t> words) noexcept;
  uint64_t write_to_file(std::span<const SpillFile::Part> parts, int64_t bytes);

  const ElementCodec codec_;
  const std::string what_;
  const int64_t expected_;
  Form form_;
  int64_t slots_per_chunk_ = 0;
  size_t words_per_slot_ = 0;  // whole and encoded
  bool is_finished_ = false;
  std::vector<Chunk> chunks_;
  std::vector<char> moving_;  // a packed element between two slots of the file
  std::unique_ptr<SpillFile> file_;
};

}  // namespace penstock::data
