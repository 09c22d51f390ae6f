// Tangents: what a forward accumulator holds: tangents by the ids of what they belong to. One goes
// with the data of its tensor, whoever holds that and wherever it ends.
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
  // Not defined where there is none.
  Tensor find(uint64_t id) const;
  // To be kept until it is replaced …
  void set(uint64_t id, Tensor tangent) { put(id, nullptr, std::move(tangent)); }
  // … or until the primal's data goes.
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
