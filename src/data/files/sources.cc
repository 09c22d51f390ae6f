// The methods of Dataset that read files.
#include <vector>

#include <penstock/data/dataset.h>

namespace penstock::data {
namespace {

Tensor text(std::string_view value) { return Tensor::from_strings({&value, 1}, Shape{}); }

Tensor texts(std::span<const std::string> values) {
  const std::vector<std::string_view> views(values.begin(), values.end());
  return Tensor::from_strings(views, Shape{static_cast<int64_t>(views.size())});
}

}  // namespace

Dataset Dataset::text_lines(std::span<const std::string> files, std::string_view compression,
                            int64_t buffer_bytes) {
  return make("TextLine", {.operands = {texts(files), text(compression), Tensor(buffer_bytes)}});
}
Dataset Dataset::records(std::span<const std::string> files, std::string_view compression,
                         int64_t buffer_bytes) {
  return make("TFRecord", {.operands = {texts(files), text(compression), Tensor(buffer_bytes)}});
}
Dataset Dataset::fixed_length_records(std::span<const std::string> files, int64_t record_bytes,
                                      int64_t header_bytes, int64_t footer_bytes,
                                      std::string_view compression, int64_t buffer_bytes) {
  return make("FixedLengthRecord",
              {.operands = {texts(files), Tensor(record_bytes), Tensor(header_bytes),
                            Tensor(footer_bytes), Tensor(buffer_bytes), text(compression)}});
}
Dataset Dataset::load(const std::string& path, std::string_view compression) {
  return make("Load", {.operands = {text(path), text(compression), Tensor(int64_t{-1})}});
}
Dataset Dataset::snapshot(const std::string& path, std::string_view compression) const {
  return make("Snapshot", {.inputs = {*this}, .operands = {text(path), text(compression)}});
}

}  // namespace penstock::data
