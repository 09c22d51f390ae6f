// CheckpointStore: where a loop's gradient keeps states of earlier steps: in memory that was
// planned for them, in buffers that are added as the loop goes on, or in a file.
#pragma once

#include <cstdint>
#include <vector>

#include <penstock/memory/buffer.h>

namespace penstock::exec {

class CheckpointStore {
 public:
  static constexpr int32_t kNoPlace = -1;

  // In memory at `base`, `count` of them.
  CheckpointStore(char* base, int64_t count, int64_t state_bytes);
  // In buffers of their own, or in a file; `most` of them.
  CheckpointStore(bool in_file, int64_t most, int64_t state_bytes);
  ~CheckpointStore();
  CheckpointStore(const CheckpointStore&) = delete;
  CheckpointStore& operator=(const CheckpointStore&) = delete;

  // How many more can be taken.
  int64_t num_free() const { return most_ - num_taken_; }
  // Unless there was no memory for more.
  void set_most(int64_t most) {
    if (!is_full_) most_ = most;
  }
  // A place for one more state; kNoPlace where there is no memory for it: there are no more then.
  // Throws ResourceExhaustedError when there is not one.
  int32_t take();
  void give_back(int32_t place);
  char* at(int32_t place) const { return places_[static_cast<size_t>(place)]; }
  // What was written there need not be at hand.
  void put_away(int32_t place) const;
  // A place that was filled elsewhere.
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
