// SmallVector<T, N>: a vector whose first N elements live inside it, so that the lists of an
// ordinary op call (inputs, outputs, axes) never touch the heap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace penstock {

template <typename T, size_t N>
class SmallVector {
 public:
  SmallVector() = default;
  SmallVector(std::initializer_list<T> items) : SmallVector(items.begin(), items.end()) {}
  explicit SmallVector(std::span<const T> items) : SmallVector(items.begin(), items.end()) {}
  template <typename It>
  SmallVector(It first, It last) {
    try {
      reserve(static_cast<size_t>(last - first));
      for (; first != last; ++first) push_back(*first);
    } catch (...) {
      destroy();
      throw;
    }
  }
  SmallVector(const SmallVector& other) : SmallVector(other.begin(), other.end()) {}
  SmallVector(SmallVector&& other) noexcept { take(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) *this = SmallVector(other);
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) {
      destroy();
      take(other);
    }
    return *this;
  }
  ~SmallVector() { destroy(); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }
  operator std::span<T>() { return {data_, size_}; }
  operator std::span<const T>() const { return {data_, size_}; }

  void reserve(size_t n) {
    if (n > capacity_) grow(n);
  }
  template <typename... Args>
  T& emplace_back(Args&&... args) {
    if (size_ == capacity_) {
      T value(std::forward<Args>(args)...);  // the argument may live in this vector
      grow(capacity_ * 2);
      return append(std::move(value));
    }
    return append(std::forward<Args>(args)...);
  }
  void push_back(const T& value) { emplace_back(value); }
  void push_back(T&& value) { emplace_back(std::move(value)); }
  void pop_back() { data_[--size_].~T(); }
  void clear() {
    std::destroy_n(data_, size_);
    size_ = 0;
  }
  void resize(size_t n) {
    reserve(n);
    while (size_ > n) pop_back();
    while (size_ < n) append();
  }

 private:
  T* inline_data() { return std::launder(reinterpret_cast<T*>(inline_)); }
  bool is_inline() const { return data_ == reinterpret_cast<const T*>(inline_); }

  // Pre: there is room. The element counts only once it is constructed: its constructor may throw.
  template <typename... Args>
  T& append(Args&&... args) {
    T* element = new (data_ + size_) T(std::forward<Args>(args)...);
    ++size_;
    return *element;
  }
  void grow(size_t n) {
    T* memory = static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t(alignof(T))));
    if constexpr (std::is_nothrow_move_constructible_v<T>) {
      std::uninitialized_move_n(data_, size_, memory);
    } else {
      try {
        std::uninitialized_move_n(data_, size_, memory);
      } catch (...) {
        ::operator delete(memory, std::align_val_t(alignof(T)));
        throw;
      }
    }
    std::destroy_n(data_, size_);
    free_heap();
    data_ = memory;
    capacity_ = n;
  }
  void free_heap() {
    if (!is_inline()) ::operator delete(data_, std::align_val_t(alignof(T)));
  }
  void destroy() {
    clear();
    free_heap();
    data_ = inline_data();
    capacity_ = N;
  }
  // Pre: this is empty and inline.
  void take(SmallVector& other) noexcept {
    if (other.is_inline()) {
      std::uninitialized_move_n(other.data_, other.size_, data_);
      size_ = other.size_;
      other.clear();
      return;
    }
    data_ = std::exchange(other.data_, other.inline_data());
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, N);
  }

  T* data_ = inline_data();
  size_t size_ = 0;
  size_t capacity_ = N;
  alignas(T) std::byte inline_[N * sizeof(T)];
};

template <typename T, size_t N>
bool operator==(const SmallVector<T, N>& a, const SmallVector<T, N>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace penstock
