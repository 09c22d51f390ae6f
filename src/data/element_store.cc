#include "data/element_store.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <penstock/base/error.h>
#include <penstock/data/dataset.h>
#include <penstock/memory/memory.h>

#include "data/element.h"

namespace penstock::data {
namespace {

// From this size on an element's tensors waste little of their blocks.
constexpr int64_t kLargeBytes = 128 << 10;
constexpr int64_t kFirstChunkBytes = 4
                                     << 10;  // of packed elements, where their number is not known
constexpr int64_t kSlotsPerChunk = 512;      // of the other forms

bool is_within_share(int64_t bytes) {
  return ledger::tag_counters(0, Tag::kDataset).current <= ElementStore::share() - bytes;
}

// Memory for elements; null if they have to go to the file.
BufferRef allocate_share(int64_t bytes) {
  if (!is_within_share(bytes) || !ledger::fits(0, Tag::kDataset, bytes)) return {};
  try {
    return BufferRef(allocate_buffer({.bytes = bytes, .device = {}, .tag = Tag::kDataset}));
  } catch (const ResourceExhaustedError&) {
    return {};
  }
}

// A word is 0 for an empty slot, the address of a Buffer, or a place in the file: the offset, the
// number of bytes (whole elements: 0) and a 1.
constexpr int kOffsetShift = 30;
constexpr int64_t kMostFileBytes = int64_t{1} << (kOffsetShift - 1);  // of an encoded element
constexpr int64_t kMostFileOffset = SpillFile::kUnit << (64 - kOffsetShift);
bool is_in_file(uint64_t word) { return (word & 1) != 0; }
int64_t offset_of(uint64_t word) {
  return static_cast<int64_t>(word >> kOffsetShift) * SpillFile::kUnit;
}
int64_t length_of(uint64_t word) {
  return static_cast<int64_t>((word & ((uint64_t{1} << kOffsetShift) - 1)) >> 1);
}

Buffer* buffer_of(uint64_t word) { return reinterpret_cast<Buffer*>(word); }
uint64_t word_of(const BufferRef& buffer) {
  buffer->references.fetch_add(1, std::memory_order_relaxed);
  return reinterpret_cast<uint64_t>(buffer.get());
}
// Another reference to a word's buffer.
BufferRef reference_to(uint64_t word) {
  buffer_of(word)->references.fetch_add(1, std::memory_order_relaxed);
  return BufferRef(buffer_of(word));
}

using Parts = SmallVector<SpillFile::Part, 4>;

Parts parts_of(const Element& element) {
  Parts parts;
  for (const Component& component : element)
    parts.push_back({component.tensor.raw(), static_cast<size_t>(component.tensor.num_bytes())});
  return parts;
}

}  // namespace

ElementStore::ElementStore(const Spec& spec, std::string_view what, int64_t expected)
    : codec_(spec), what_(what), expected_(expected) {
  const int64_t bytes = codec_.fixed_bytes();
  slots_per_chunk_ = kSlotsPerChunk;
  if (!codec_.has_bytes()) {
    form_ = Form::kLoose;
  } else if (bytes == kUnknownBytes) {
    form_ = Form::kEncoded;
    words_per_slot_ = 1;
  } else if (bytes >= kLargeBytes) {
    form_ = Form::kWhole;
    words_per_slot_ = spec.size();
  } else {
    form_ = Form::kPacked;
    slots_per_chunk_ = kChunkBytes / std::max<int64_t>(bytes, 1);
  }
}

int64_t ElementStore::share() {
  const int64_t all = ledger::device_counters(0).current;
  const int64_t others = all - ledger::tag_counters(0, Tag::kDataset).current;
  return std::max<int64_t>(memory::budget() - others, 0) / 2;
}

ElementStore::Footprint ElementStore::footprint(const Spec& spec, const Spec& known) {
  const int64_t fixed = bytes_of(spec);
  if (fixed != kUnknownBytes) return {fixed, fixed < kLargeBytes};
  return {ElementCodec(spec).bytes_of(known), false};
}

ElementStore::~ElementStore() {
  for (Chunk& chunk : chunks_) {
    for (size_t i = 0; i < chunk.words.size(); i += std::max<size_t>(words_per_slot_, 1))
      free_words(std::span(chunk.words).subspan(i, words_per_slot_));
  }
}

SpillFile& ElementStore::file_for_writing() {
  if (file_ == nullptr) file_ = std::make_unique<SpillFile>(what_);
  return *file_;
}

ElementStore::Chunk& ElementStore::prepare(int64_t slot) {
  const auto number = static_cast<size_t>(slot / slots_per_chunk_);
  const int64_t within = slot % slots_per_chunk_;
  if (number >= chunks_.size()) chunks_.resize(number + 1);
  Chunk& chunk = chunks_[number];
  if (form_ == Form::kPacked) {
    if (within >= chunk.in_memory && !chunk.is_decided) give_memory(chunk, slot - within, within);
  } else if (form_ == Form::kLoose) {
    if (static_cast<size_t>(within) >= chunk.loose.size())
      chunk.loose.resize(static_cast<size_t>(within) + 1);
  } else if (chunk.words.empty()) {
    const int64_t slots = expected_ < 0 ? slots_per_chunk_
                                        : std::clamp<int64_t>(expected_ - (slot - within),
                                                              within + 1, slots_per_chunk_);
    chunk.words.resize(static_cast<size_t>(slots) * words_per_slot_);
  }
  return chunk;
}

// Only the very first chunk grows: a small store of unknown size is not to take a whole one.
void ElementStore::give_memory(Chunk& chunk, int64_t first, int64_t within) {
  const int64_t bytes = codec_.fixed_bytes();
  int64_t slots = slots_per_chunk_;
  if (expected_ >= 0) {
    slots = std::clamp<int64_t>(expected_ - first, within + 1, slots_per_chunk_);
  } else if (first == 0) {
    const int64_t least =
        chunk.in_memory == 0 ? kFirstChunkBytes / std::max<int64_t>(bytes, 1) : chunk.in_memory * 2;
    slots = std::clamp<int64_t>(least, within + 1, slots_per_chunk_);
  }
  chunk.is_decided = slots == slots_per_chunk_ || expected_ >= 0;
  BufferRef larger = allocate_share(slots * bytes);
  if (!larger) {
    chunk.is_decided = true;
    return;
  }
  if (chunk.buffer && bytes > 0)
    std::memcpy(larger->data, chunk.buffer->data, static_cast<size_t>(chunk.in_memory * bytes));
  chunk.buffer = std::move(larger);
  chunk.in_memory = slots;
}

char* ElementStore::packed_place(int64_t slot) const {
  const Chunk& chunk = chunk_of(slot);
  const int64_t within = slot % slots_per_chunk_;
  if (within >= chunk.in_memory) return nullptr;
  return static_cast<char*>(chunk.buffer->data) + within * codec_.fixed_bytes();
}

int64_t ElementStore::packed_offset(int64_t slot) const {
  return slot * (codec_.fixed_bytes() + SpillFile::kChecksumBytes);
}

void ElementStore::put_packed(int64_t slot, const Element& element) {
  if (char* const place = packed_place(slot)) {
    codec_.write(element, place);
  } else {
    file_for_writing().write(packed_offset(slot), parts_of(element));
  }
}

void ElementStore::read_packed(int64_t slot, Element& element) const {
  if (const char* const place = packed_place(slot)) {
    codec_.read({place, static_cast<size_t>(codec_.fixed_bytes())}, element);
    return;
  }
  Element found;
  codec_.make_room(found);
  file_->read(packed_offset(slot), parts_of(found));
  element = std::move(found);
}

void ElementStore::move_packed(int64_t from, int64_t to) {
  const auto bytes = static_cast<size_t>(codec_.fixed_bytes());
  char* source = packed_place(from);
  char* const target = packed_place(to);
  if (source != nullptr && target != nullptr) {
    std::memcpy(target, source, bytes);
    return;
  }
  if (source == nullptr) {
    if (target == nullptr) moving_.resize(bytes);
    const SpillFile::Part part{target == nullptr ? moving_.data() : target, bytes};
    file_->read(packed_offset(from), {&part, 1});
    source = moving_.data();
  }
  if (target == nullptr) {
    const SpillFile::Part part{source, bytes};
    file_->write(packed_offset(to), {&part, 1});
  }
}

std::span<uint64_t> ElementStore::words_of(Chunk& chunk, int64_t slot) const {
  const auto within = static_cast<size_t>(slot % slots_per_chunk_);
  return std::span(chunk.words).subspan(within * words_per_slot_, words_per_slot_);
}

uint64_t ElementStore::write_to_file(std::span<const SpillFile::Part> parts, int64_t bytes) {
  SpillFile& file = file_for_writing();
  const int64_t offset = file.reserve(bytes);
  if (offset >= kMostFileOffset)
    throw ResourceExhaustedError("a buffer that does not fit into memory is too large for a file");
  file.write(offset, parts);
  return static_cast<uint64_t>(offset / SpillFile::kUnit) << kOffsetShift | 1;
}

void ElementStore::put_whole(std::span<uint64_t> words, Element& element) {
  const int64_t bytes = codec_.fixed_bytes();
  bool is_held = is_within_share(bytes);
  if (is_held) {
    try {
      hold(element, 0);
    } catch (const ResourceExhaustedError&) {
      is_held = false;
    }
  }
  if (!is_held) {
    words[0] = write_to_file(parts_of(element), bytes);
    return;
  }
  for (size_t i = 0; i < words.size(); ++i) words[i] = word_of(element[i].tensor.buffer());
}

void ElementStore::put_encoded(std::span<uint64_t> words, const Element& element) {
  const int64_t bytes = codec_.bytes_of(element);
  BufferRef buffer = allocate_share(bytes);
  if (!buffer && bytes >= kMostFileBytes)
    buffer = BufferRef(allocate_buffer({.bytes = bytes, .device = {}, .tag = Tag::kDataset}));
  if (buffer) {
    codec_.write(element, static_cast<char*>(buffer->data));
    words[0] = word_of(buffer);
    return;
  }
  std::vector<char> encoded(static_cast<size_t>(bytes));
  codec_.write(element, encoded.data());
  const SpillFile::Part part{encoded.data(), encoded.size()};
  words[0] = write_to_file({&part, 1}, bytes) | static_cast<uint64_t>(bytes) << 1;
}

void ElementStore::read_words(std::span<const uint64_t> words, Element& element) const {
  const uint64_t word = words[0];
  if (form_ == Form::kEncoded) {
    if (!is_in_file(word)) {
      const Buffer& buffer = *buffer_of(word);
      codec_.read({static_cast<const char*>(buffer.data), static_cast<size_t>(buffer.bytes)},
                  element);
      return;
    }
    std::vector<char> encoded(static_cast<size_t>(length_of(word)));
    const SpillFile::Part part{encoded.data(), encoded.size()};
    file_->read(offset_of(word), {&part, 1});
    codec_.read({encoded.data(), encoded.size()}, element);
    return;
  }
  Element found;
  if (is_in_file(word)) {
    codec_.make_room(found);
    file_->read(offset_of(word), parts_of(found));
  } else {
    for (size_t i = 0; i < words.size(); ++i)
      found.push_back(
          Tensor::over(reference_to(words[i]), 0, codec_.spec()[i].dtype, codec_.spec()[i].shape));
  }
  element = std::move(found);
}

void ElementStore::free_words(std::span<uint64_t> words) noexcept {
  for (uint64_t& word : words) {
    const uint64_t old = std::exchange(word, 0);
    if (old == 0) continue;
    if (!is_in_file(old)) {
      BufferRef(buffer_of(old));
      continue;
    }
    try {
      file_->give_back(offset_of(old),
                       form_ == Form::kEncoded ? length_of(old) : codec_.fixed_bytes());
    } catch (const std::bad_alloc&) {  // the room is lost until the file is removed
    }
  }
}

void ElementStore::put(int64_t slot, Element& element) {
  codec_.check(element);
  Chunk& chunk = prepare(slot);
  switch (form_) {
    case Form::kPacked:
      put_packed(slot, element);
      break;
    case Form::kWhole:
      put_whole(words_of(chunk, slot), element);
      break;
    case Form::kEncoded:
      put_encoded(words_of(chunk, slot), element);
      break;
    case Form::kLoose:
      hold(element, 0);
      chunk.loose[static_cast<size_t>(slot % slots_per_chunk_)] = element;
      break;
  }
  ++chunk.used;
}

void ElementStore::take(int64_t slot, int64_t filler, Element& element) {
  Chunk& chunk = chunk_of(slot);
  Chunk& other = chunk_of(filler);
  if (form_ == Form::kPacked) {
    read_packed(slot, element);
    if (slot != filler) move_packed(filler, slot);
  } else if (form_ == Form::kLoose) {
    Element& place = chunk.loose[static_cast<size_t>(slot % slots_per_chunk_)];
    Element& last = other.loose[static_cast<size_t>(filler % slots_per_chunk_)];
    element = std::move(place);
    if (slot != filler) place = std::move(last);
  } else {
    const std::span<uint64_t> words = words_of(chunk, slot), last = words_of(other, filler);
    read_words(words, element);
    free_words(words);
    if (slot != filler) std::ranges::swap_ranges(words, last);
  }
  if (form_ == Form::kWhole) {  // in flight it is no part of the buffer
    for (Component& component : element)
      retag_buffer(*component.tensor.buffer().get(), Tag::kActivation, 0);
  }
  if (--other.used == 0 && is_finished_) other = Chunk();
}

void ElementStore::peek(int64_t slot, Element& element) const {
  const Chunk& chunk = chunk_of(slot);
  const auto within = static_cast<size_t>(slot % slots_per_chunk_);
  if (form_ == Form::kPacked) {
    read_packed(slot, element);
  } else if (form_ == Form::kLoose) {
    element = chunk.loose[within];
  } else {
    read_words(std::span(chunk.words).subspan(within * words_per_slot_, words_per_slot_), element);
  }
}

void ElementStore::finish(int64_t slots) {
  is_finished_ = true;
  for (size_t i = 0; i < chunks_.size(); ++i) {
    Chunk& chunk = chunks_[i];
    const int64_t left = slots - static_cast<int64_t>(i) * slots_per_chunk_;
    if (chunk.used == 0) {
      chunk = Chunk();
    } else if (chunk.in_memory > left) {
      shrink_buffer(*chunk.buffer.get(), left * codec_.fixed_bytes());
      chunk.in_memory = left;
    }
  }
}

}  // namespace penstock::data
