// Tangents: the tangents of a forward accumulator, by the ids of their primals. A tangent is freed
// with the data of its tensor, wherever that happens.
#pragma once

#include <cstdint>
#include <unordered_map>

#include <penstock/memory/counted.h>
#include <penstock/tensor/tensor.h>

namespace penstock::autodiff {

class Tangents {
 public:
  Tangents();
  ~Tangents();
  Tangents(const Tangents&) = delete;
  Tangents& operator=(const Tangents&) = delete;

  bool has(uint64_t id) const;
  // Undefined if there is none.
  Tensor find(uint64_t id) const;
  // Kept until it is replaced …
  void set(uint64_t id, Tensor tangent) { put(id, nullptr, std::move(tangent)); }
  // … or until the primal's data is freed.
  void set(const Tensor& primal, Tensor tangent) {
    put(primal.id(), primal.buffer().get(), std::move(tangent));
  }

 private:
  struct Entry {
    Tensor tangent;
    const Buffer* primal = nullptr;
  };
  using Entries = std::unordered_map<uint64_t, Entry, std::hash<uint64_t>, std::equal_to<uint64_t>,
                                     Counted<std::pair<const uint64_t, Entry>>>;

  void put(uint64_t id, Buffer* primal, Tensor tangent);
  static void buffer_ended(const Buffer* buffer) noexcept;

  Entries entries_;
};

}  // namespace penstock::autodiff
