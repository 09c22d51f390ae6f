// Addresses that a control instruction passes to its regions.
#pragma once

#include <memory>

#include <penstock/core/view.h>

#include "graph/graph.h"

namespace penstock::exec {

// A list of addresses in a frame, with reserved capacity.
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

}  // namespace penstock::exec
