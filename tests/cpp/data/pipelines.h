// What tests of datasets need: elements as numbers, elements of any size.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <penstock/data/dataset.h>
#include <penstock/data/element_function.h>
#include <penstock/exec/trace.h>
#include <penstock/ops/compose.h>

namespace penstock::data {

using Numbers = std::vector<int64_t>;

// Up to `most` numbers of an iterator: of each element the first value of the first component.
inline Numbers read(Iterator& iterator, int64_t most = INT64_MAX) {
  Numbers numbers;
  Element element;
  while (static_cast<int64_t>(numbers.size()) < most && iterator.next(element)) {
    const Tensor& tensor = element[0].tensor;
    numbers.push_back(tensor.dtype() == DType::kString
                          ? std::stoll(std::string(tensor.string_at(0)))
                          : static_cast<int64_t>(tensor.number_at(0)));
  }
  return numbers;
}

inline Numbers read(const Dataset& dataset, int64_t most = INT64_MAX) {
  Iterator iterator(dataset);
  return read(iterator, most);
}

// Vectors of `width` times the same number: 0, 1, 2, …
inline Dataset vectors(int64_t count, int64_t width) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < count; ++i) values.insert(values.end(), static_cast<size_t>(width), i);
  const Tensor rows = Tensor::from(std::span<const int64_t>(values), Shape{count, width});
  return Dataset::from_tensor_slices({&rows, 1});
}

// The numbers as texts.
inline Dataset texts(int64_t count) {
  std::vector<std::string> all;
  std::vector<std::string_view> views;
  for (int64_t i = 0; i < count; ++i) all.push_back(std::to_string(i));
  for (const std::string& each : all) views.push_back(each);
  const Tensor rows = Tensor::from_strings(views, Shape{count});
  return Dataset::from_tensor_slices({&rows, 1});
}

// A folder of its own for a test, with TMPDIR set to it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    if (const char* text = std::getenv("TMPDIR")) before_ = text;
    std::string name = (std::filesystem::temp_directory_path() / "penstock-test-XXXXXX").string();
    path_ = mkdtemp(name.data());
    setenv("TMPDIR", path_.c_str(), 1);
  }
  ~TemporaryFolder() {
    if (before_.empty()) {
      unsetenv("TMPDIR");
    } else {
      setenv("TMPDIR", before_.c_str(), 1);
    }
    std::filesystem::remove_all(path_);
  }
  std::string path(const std::string& name) const { return path_ + "/" + name; }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
  }

 private:
  std::string path_, before_;
};

}  // namespace penstock::data
