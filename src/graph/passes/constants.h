// Constants by content, and constants that repeat one value.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "graph/graph.h"

namespace penstock {

// Constants by content.
class ConstantPool {
 public:
  ValueId add(Graph& graph, const Tensor& tensor);

 private:
  std::unordered_multimap<uint64_t, ValueId> found_;
};
// True if all elements have the same bits and there is more than one.
bool is_repeated(const Tensor& tensor);
// Element 0 as a scalar. Pre: there is one.
Tensor first_element(const Tensor& tensor);
// A larger constant that repeats one value becomes a Fill.
inline constexpr int64_t kSmallConstant = 1024;

}  // namespace penstock
