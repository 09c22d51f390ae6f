// Files for tests of input pipelines, and the elements that pipelines give.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/data/dataset.h>

#include "data/files/compression.h"
#include "data/files/records.h"

namespace penstock::testing_support {

// A folder of one test, which is removed with it.
class Folder {
 public:
  Folder() {
    std::string name = ::testing::TempDir() + "penstock-XXXXXX";
    path_ = mkdtemp(name.data()) == nullptr ? "" : name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path(const std::string& name) const { return path_ + "/" + name; }
  // Writes a file; returns its path.
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

 private:
  std::string path_;
};

inline std::string content_of(const std::string& path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

inline bool has_zlib() {
  try {
    const data::Deflater deflater(data::Compression::kGzip);
    return true;
  } catch (const UnimplementedError&) {
    return false;
  }
}

// "GZIP" and the like of a text.
inline std::string compressed(const std::string& compression, const std::string& text) {
  if (compression.empty()) return text;
  data::Deflater deflater(*data::compression_named(compression));
  data::ByteBuffer out;
  deflater.deflate(text, true, &out);
  return std::string(out.text());
}

inline std::string record(const std::string& text) {
  const auto header = data::record_header(text.size());
  const auto footer = data::record_footer(data::masked_crc(text.data(), text.size()));
  return std::string(header.data(), header.size()) + text +
         std::string(footer.data(), footer.size());
}

inline std::string to_words(const data::Element& element) {
  std::string text;
  for (const data::Component& component : element) {
    const Tensor& tensor = component.tensor;
    if (!text.empty()) text += "|";
    for (int64_t i = 0; i < tensor.num_elements(); ++i) {
      if (i > 0) text += " ";
      if (tensor.dtype() == DType::kString) {
        text += tensor.string_at(i);
      } else {
        std::ostringstream number;
        number << tensor.number_at(i);
        text += number.str();
      }
    }
  }
  return text;
}

using Words = std::vector<std::string>;

// The next `most` elements as text, errors among them. A repeated error ends the list.
inline Words take(data::Iterator& iterator, int most = 100000) {
  Words found;
  data::Element element;
  for (int i = 0; i < most; ++i) {
    try {
      if (!iterator.next(element)) break;
      found.push_back(to_words(element));
    } catch (const Error& error) {
      const std::string text = cat("! ", error.what());
      if (!found.empty() && found.back() == text) break;
      found.push_back(text);
    }
  }
  return found;
}

inline Words all(const data::Dataset& dataset) {
  data::Iterator iterator(dataset);
  return take(iterator);
}

// An iterator that is saved at every position goes on as the one that was saved.
inline void expect_restores(const data::Dataset& dataset) {
  const Words whole = all(dataset);
  for (size_t at = 0; at <= whole.size(); ++at) {
    data::Iterator first(dataset);
    take(first, static_cast<int>(at));
    const std::string position = first.save();
    data::Iterator second(dataset);
    second.restore(position);
    const Words rest(whole.begin() + static_cast<std::ptrdiff_t>(at), whole.end());
    EXPECT_EQ(take(second), rest) << "after " << at;
    EXPECT_EQ(take(first), rest) << "after " << at;
  }
}

}  // namespace penstock::testing_support
