// The kinds of ControlCode, and what they share.
#pragma once

#include <memory>

#include "exec/run/control/region.h"

namespace penstock::exec {

// Addresses in a frame, which has room for them from the start.
class Addresses {
 public:
  void reserve(size_t count) { all_.reserve(count); }
  void assign(std::span<const View> views) {
    all_.clear();
    for (const View& view : views) push_back(view.data);
  }
  void push_back(void* address) { all_.push_back(static_cast<char*>(address)); }
  void clear() { all_.clear(); }
  operator std::span<char* const>() const { return all_; }
  char* operator[](size_t i) const { return all_[i]; }
  size_t size() const { return all_.size(); }

 private:
  Graph::List<char*> all_;
};

inline int64_t aligned(int64_t bytes) {
  constexpr auto kStep = static_cast<int64_t>(kAlignment);
  return (bytes + kStep - 1) / kStep * kStep;
}

// Adds the loops of a loop's region.
void add_inner(const RegionCode& region, std::vector<PlannedLoop>& loops);

std::unique_ptr<ControlCode> make_branch_code(const Control& control);
std::unique_ptr<ControlCode> make_loop_code(const Control& control);
std::unique_ptr<ControlCode> make_loop_gradient_code(const Control& control);

}  // namespace penstock::exec
