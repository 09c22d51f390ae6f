// CheckpointStore: where a loop's gradient keeps earlier states: in planned memory, in buffers that
// are added as the loop runs, or in a file.
#pragma once

#include <cstdint>
#include <vector>

#include <penstock/memory/buffer.h>

namespace penstock::exec {

class CheckpointStore {
 public:
  static constexpr int32_t kNoPlace = -1;

  // In planned memory at `base`, with room for `count` states.
  CheckpointStore(char* base, int64_t count, int64_t state_bytes);
  // In its own buffers or in a file; at most `most` states.
  CheckpointStore(bool in_file, int64_t most, int64_t state_bytes);
  ~CheckpointStore();
  CheckpointStore(const CheckpointStore&) = delete;
  CheckpointStore& operator=(const CheckpointStore&) = delete;

  // The number of states that still fit.
  int64_t num_free() const { return most_ - num_taken_; }
  // Has no effect once memory has run out.
  void set_most(int64_t most) {
    if (!is_full_) most_ = most;
  }
  // Reserves a place for one more state. Returns kNoPlace if there is no memory; then there will be
  // no more places. Throws ResourceExhaustedError if there is not even one.
  int32_t take();
  void give_back(int32_t place);
  char* at(int32_t place) const { return places_[static_cast<size_t>(place)]; }
  // Allows the state there to leave memory.
  void put_away(int32_t place) const;
  // Marks a place that was filled elsewhere.
  void mark_taken(int32_t place);

 private:
  char* add_place();
  char* map_file(int64_t place);

  const bool in_file_;
  int64_t most_;
  const int64_t state_bytes_;
  int64_t num_taken_ = 0;
  bool is_full_ = false;
  int file_ = -1;
  std::vector<char*> places_;
  std::vector<int32_t> free_;
  std::vector<BufferRef> buffers_;
};

}  // namespace penstock::exec
