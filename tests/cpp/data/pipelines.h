// Helpers for tests of datasets: functions from lambdas, elements as text and as numbers.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <penstock/base/strings.h>
#include <penstock/data/dataset.h>
#include <penstock/data/element_function.h>
#include <penstock/exec/host_call.h>
#include <penstock/exec/trace.h>
#include <penstock/memory/memory.h>
#include <penstock/ops.h>
#include <penstock/ops/compose.h>
#include <penstock/ops/operators.h>

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

using Made = std::function<std::vector<Component>(std::span<const Component>)>;

// Traces a function of elements of that spec.
inline ElementFunction traced(const Spec& spec, const Made& made) {
  Trace trace("f");
  std::vector<Component> arguments;
  for (const ComponentSpec& component : spec) {
    if (component.is_dataset()) {
      arguments.emplace_back(Dataset::argument(trace, *component.dataset).state());
    } else {
      arguments.emplace_back(trace.input(component.dtype, component.shape));
    }
  }
  return ElementFunction::finish(trace, made(arguments));
}
inline ElementFunction traced(const Dataset& dataset, const Made& made) {
  return traced(dataset.spec(), made);
}
// Of the first component alone.
inline ElementFunction of_first(const Dataset& dataset,
                                const std::function<Tensor(const Tensor&)>& made) {
  return traced(dataset, [&](std::span<const Component> arguments) {
    return std::vector<Component>{made(arguments[0].tensor)};
  });
}
inline ElementFunction to_dataset(const Dataset& dataset,
                                  const std::function<Dataset(const Tensor&)>& made) {
  return traced(dataset, [&](std::span<const Component> arguments) {
    return std::vector<Component>{Component(made(arguments[0].tensor).state())};
  });
}
// A host call in a function: int64 to int64.
inline Tensor hosted(const Tensor& x, const std::function<int64_t(int64_t)>& run) {
  const Tensor* const input = &x;
  const HostOutput output{DType::kInt64, {}};
  return call_host("hosted",
                   [run](std::span<const Tensor* const> inputs) {
                     Tensors outputs;
                     outputs.push_back(Tensor(run(inputs[0]->item<int64_t>())));
                     return outputs;
                   },
                   {&input, 1}, {&output, 1})[0];
}

inline std::string text_of(const Element& element) {
  std::string text;
  for (const Component& component : element) {
    if (!text.empty()) text += ";";
    if (component.dataset != nullptr) {
      text += "<";
      for (const Element& inner : Dataset(component.dataset)) text += text_of(inner) + ",";
      text += ">";
      continue;
    }
    const Tensor& tensor = component.tensor;
    const bool is_list = tensor.rank() > 0;
    if (tensor.rank() > 1) text += cat(tensor.shape());
    if (is_list) text += "[";
    for (int64_t i = 0; i < tensor.num_elements(); ++i) {
      if (i > 0) text += ",";
      text += tensor.dtype() == DType::kString ? std::string(tensor.string_at(i))
                                               : cat(static_cast<int64_t>(tensor.number_at(i)));
    }
    if (is_list) text += "]";
  }
  return text;
}

// The next element as text, "end", or "!" and the error's first line.
inline std::string next_text(Iterator& iterator) {
  try {
    Element element;
    return iterator.next(element) ? text_of(element) : std::string("end");
  } catch (const Error& error) {
    const std::string text = error.what();
    return "!" + text.substr(0, text.find('\n'));
  }
}
inline std::vector<std::string> all_of(Iterator& iterator, size_t most = 1000) {
  std::vector<std::string> texts;
  while (texts.size() < most) {
    std::string text = next_text(iterator);
    if (text == "end") break;
    texts.push_back(std::move(text));
  }
  return texts;
}
// The first elements, with a space between any two.
inline std::string all_of(const Dataset& dataset, size_t most = 1000) {
  Iterator iterator(dataset);
  std::string all;
  for (const std::string& text : all_of(iterator, most)) all += (all.empty() ? "" : " ") + text;
  return all;
}

// Saves at every position, and compares what a new iterator gives from there on.
inline void check_positions(const Dataset& dataset, size_t most = 40) {
  Iterator whole(dataset);
  const std::vector<std::string> expected = all_of(whole, most);
  for (size_t at = 0; at <= expected.size(); ++at) {
    Iterator first(dataset), second(dataset);
    for (size_t i = 0; i < at; ++i) EXPECT_EQ(next_text(first), expected[i]);
    second.restore(first.save());
    const std::vector<std::string> rest(expected.begin() + static_cast<ptrdiff_t>(at),
                                        expected.end());
    EXPECT_EQ(all_of(second, most - at), rest) << "after " << at;
    EXPECT_EQ(all_of(first, most - at), rest) << "saved after " << at;
  }
}

// An Error's message, or "" if there is none.
inline std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace penstock::data
