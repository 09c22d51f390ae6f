#include "data/files/saved.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>

#include <penstock/base/crc32c.h>
#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/memory/strings.h>

#include "data/files/records.h"

namespace penstock::data {
namespace {

constexpr std::string_view kMagic = "penstock dataset 1";

std::string spec_file(const std::string& path) { return path + "/dataset_spec.pb"; }

// A name that no other run has, on this machine or another that shares the folder.
std::string new_run() {
  static std::atomic<uint64_t> counter{0};
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  char name[64];
  std::snprintf(name, sizeof name, "run-%llx-%llx-%llx", static_cast<unsigned long long>(now),
                static_cast<unsigned long long>(getpid()),
                static_cast<unsigned long long>(counter.fetch_add(1)));
  return name;
}

void make_folders(const std::string& path) {
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (code) fail_system(path, code.value());
}

// Leftovers are harmless: what cannot be removed stays.
void remove_run(const std::string& path, const std::string& run) noexcept {
  try {
    std::error_code code;
    std::filesystem::remove_all(std::filesystem::path(path) / run, code);
  } catch (const std::bad_alloc&) {
  }
}

// A file that is written from front to back.
class OutputFile {
 public:
  explicit OutputFile(std::string path) : path_(std::move(path)) {
    file_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0) fail_system(path_, errno);
  }
  ~OutputFile() {
    if (file_ >= 0) ::close(file_);
  }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(file_, bytes.data(), bytes.size());
      if (count < 0 && errno != EINTR) fail_system(path_, errno);
      if (count > 0) bytes.remove_prefix(static_cast<size_t>(count));
    }
  }
  void close() {
    const int file = std::exchange(file_, -1);
    if (::close(file) != 0 && errno != EINTR) fail_system(path_, errno);
  }

 private:
  const std::string path_;
  int file_;
};

template <typename T>
std::string_view bytes_of_number(const T& number) {
  return {reinterpret_cast<const char*>(&number), sizeof(number)};
}

// Calls piece(bytes) for the parts of what StateWriter::element would write: the element's own memory
// is not copied.
template <typename Piece>
void each_piece(const Element& element, const Piece& piece) {
  const auto number = [&](int64_t value) { piece(bytes_of_number(value)); };
  number(static_cast<int64_t>(element.size()));
  for (const Component& component : element) {
    if (component.dataset != nullptr)
      throw UnimplementedError("elements that contain datasets cannot be saved");
    const Tensor& tensor = component.tensor;
    number(static_cast<int64_t>(tensor.dtype()));
    number(tensor.rank());
    for (const int64_t dim : tensor.shape()) number(dim);
    if (tensor.dtype() == DType::kString) {
      for (int64_t i = 0; i < tensor.num_elements(); ++i) {
        const std::string_view text = tensor.string_at(i);
        number(static_cast<int64_t>(text.size()));
        piece(text);
      }
    } else if (tensor.num_bytes() > 0) {
      piece({static_cast<const char*>(tensor.raw()), static_cast<size_t>(tensor.num_bytes())});
    }
  }
}

void write_spec(StateWriter& out, const Spec& spec) {
  out.number(static_cast<int64_t>(spec.size()));
  for (const ComponentSpec& component : spec) {
    if (component.is_dataset())
      throw UnimplementedError("elements that contain datasets cannot be saved");
    out.number(static_cast<int64_t>(component.dtype));
    out.number(component.shape.has_rank() ? component.shape.rank() : -1);
    if (!component.shape.has_rank()) continue;
    for (const int64_t dim : component.shape) out.number(dim);
  }
}

Spec read_spec(StateReader& in) {
  Spec spec(static_cast<size_t>(in.count(1 << 20)));
  for (ComponentSpec& component : spec) {
    component.dtype = static_cast<DType>(in.count(kNumDTypes - 1));
    const int64_t rank = in.number();
    if (rank < 0) {
      component.shape = Shape::unknown_rank();
      continue;
    }
    if (rank > kMaxRank) throw DataLossError("a shape with too many dimensions");
    for (int64_t i = 0; i < rank; ++i) {
      const int64_t dim = in.number();
      component.shape.append(dim < 0 ? kUnknownDim : dim);
    }
  }
  return spec;
}

bool matches(const Element& element, const Spec& spec) {
  if (element.size() != spec.size()) return false;
  for (size_t i = 0; i < spec.size(); ++i) {
    if (element[i].tensor.dtype() != spec[i].dtype) return false;
  }
  return true;
}

// A string that is released at the end.
struct Record {
  StringRef string{};
  ~Record() { release_strings({&string, 1}); }
};

}  // namespace

bool is_saved(const std::string& path) {
  struct stat found{};
  return stat(spec_file(path).c_str(), &found) == 0;
}

SavedInfo read_saved(const std::string& path) {
  const std::string name = spec_file(path);
  if (!is_saved(path))
    throw NotFoundError(cat("tf.data snapshot element_spec file not found: ", name, "."));
  FileReader file(name, Compression::kNone, 0);
  Record record;
  if (!read_record(file, &record.string)) throw DataLossError(cat(name, " is cut short"));
  SavedInfo info;
  try {
    StateReader in(string_text(record.string));
    in.expect(kMagic);
    info.run = in.text();
    info.about.compression = in.text();
    info.about.spec = read_spec(in);
    info.about.structure = in.text();
    info.about.shards.resize(static_cast<size_t>(in.count(1 << 20)));
    for (int64_t& count : info.about.shards) count = in.count(INT64_MAX);
    in.expect_end();
  } catch (const NotFoundError&) {
    throw DataLossError(cat(name, " is no spec of a saved dataset"));
  }
  // The name is a folder in this one.
  if (info.run.empty() || info.run.find('/') != std::string::npos || info.run[0] == '.')
    throw DataLossError(cat(name, " is no spec of a saved dataset"));
  return info;
}

std::string shard_file(const std::string& path, const std::string& run, int64_t shard) {
  char name[40];
  std::snprintf(name, sizeof name, "/shard-%05lld", static_cast<long long>(shard));
  return cat(path, "/", run, name);
}

SavedDataset saved_dataset(const std::string& path) { return read_saved(path).about; }

// One file, through a buffer.
class SavedWriter::Shard {
 public:
  Shard(std::string path, Compression compression) : file_(std::move(path)) {
    if (compression != Compression::kNone) deflater_ = std::make_unique<Deflater>(compression);
    buffer_.reserve(kSavedBuffer);
  }

  void add(const Element& element) {
    uint64_t length = 0;
    uint32_t crc = 0;
    each_piece(element, [&](std::string_view piece) {
      length += piece.size();
      crc = crc32c(piece.data(), piece.size(), crc);
    });
    const auto header = record_header(length);
    write({header.data(), header.size()});
    each_piece(element, [&](std::string_view piece) { write(piece); });
    const auto footer = record_footer(mask_crc(crc));
    write({footer.data(), footer.size()});
    ++count_;
  }

  void finish() {
    if (deflater_ != nullptr) deflater_->deflate({}, true, &buffer_);
    flush();
    buffer_.reset();
    file_.close();
  }
  int64_t count() const { return count_; }

 private:
  void write(std::string_view bytes) {
    if (deflater_ != nullptr) {
      // In pieces: the buffer holds what they become.
      while (!bytes.empty()) {
        const std::string_view piece = bytes.substr(0, kPiece);
        deflater_->deflate(piece, false, &buffer_);
        bytes.remove_prefix(piece.size());
        if (buffer_.size() >= kSavedBuffer - 2 * kPiece) flush();
      }
      return;
    }
    if (bytes.size() > buffer_.capacity() - buffer_.size()) flush();
    if (bytes.size() > buffer_.capacity()) {
      file_.write(bytes);
    } else {
      buffer_.append(bytes);
    }
  }
  void flush() {
    file_.write(buffer_.text());
    buffer_.resize(0);
  }

  static constexpr size_t kPiece = 32 << 10;
  OutputFile file_;
  std::unique_ptr<Deflater> deflater_;
  ByteBuffer buffer_;
  int64_t count_ = 0;
};

SavedWriter::SavedWriter(std::string path, Compression compression, Spec spec,
                         std::string structure)
    : path_(std::move(path)), compression_(compression) {
  info_.run = new_run();
  info_.about = {std::string(name_of(compression)), std::move(spec), std::move(structure), {}};
  make_folders(path_ + "/" + info_.run);
}

SavedWriter::~SavedWriter() {
  if (info_.run.empty()) return;
  shards_.clear();
  remove_run(path_, info_.run);
}

void SavedWriter::add(const Element& element, int64_t shard) {
  std::unique_ptr<Shard>& to = shards_[shard];
  if (to == nullptr) {
    try {
      to = std::make_unique<Shard>(cat(path_, "/", info_.run, "/part-", shard), compression_);
    } catch (...) {
      shards_.erase(shard);
      throw;
    }
  }
  to->add(element);
}

void SavedWriter::finish() {
  for (const auto& [number, shard] : shards_) {
    shard->finish();
    const std::string from = cat(path_, "/", info_.run, "/part-", number);
    const std::string to =
        shard_file(path_, info_.run, static_cast<int64_t>(info_.about.shards.size()));
    if (std::rename(from.c_str(), to.c_str()) != 0) fail_system(to, errno);
    info_.about.shards.push_back(shard->count());
  }
  std::string before;
  try {
    before = read_saved(path_).run;
  } catch (const Error&) {
    // Nothing, or nothing that can be read, is replaced.
  }
  StateWriter out;
  out.text(kMagic);
  out.text(info_.run);
  out.text(info_.about.compression);
  write_spec(out, info_.about.spec);
  out.text(info_.about.structure);
  out.number(static_cast<int64_t>(info_.about.shards.size()));
  for (const int64_t count : info_.about.shards) out.number(count);
  const std::string record = out.take();
  const std::string temporary = cat(path_, "/", info_.run, "/spec");
  {
    OutputFile file(temporary);
    const auto header = record_header(record.size());
    const auto footer = record_footer(masked_crc(record.data(), record.size()));
    file.write({header.data(), header.size()});
    file.write(record);
    file.write({footer.data(), footer.size()});
    file.close();
  }
  if (std::rename(temporary.c_str(), spec_file(path_).c_str()) != 0)
    fail_system(spec_file(path_), errno);
  info_.run.clear();
  if (!before.empty()) remove_run(path_, before);
}

int64_t SavedIterator::num_files() const {
  return shard_ == kAllShards ? static_cast<int64_t>(info_.about.shards.size()) : 1;
}

std::string SavedIterator::file_name(int64_t i) const {
  return shard_file(path_, info_.run, shard_ == kAllShards ? i : shard_);
}

bool SavedIterator::next_in(FileReader& file, Element& element) {
  const int64_t start = file.position();
  Record record;
  if (!read_record(file, &record.string)) {
    const int64_t shard = shard_ == kAllShards ? file_index() : shard_;
    if ((is_counted_ && given_ < info_.about.shards[static_cast<size_t>(shard)]) ||
        file.position() > start)
      throw DataLossError(cat(file.path(), " is cut short"));
    return false;
  }
  try {
    StateReader in(string_text(record.string));
    in.element(element);
    in.expect_end();
  } catch (const NotFoundError&) {
    throw DataLossError(cat(file.path(), ": corrupted element at ", start));
  }
  if (!matches(element, state_->spec))
    throw InvalidArgumentError(
        cat(file.path(), ": an element does not have the dtypes of ", state_->spec));
  ++given_;
  return true;
}

void save(const Dataset& dataset, const std::string& path, const SaveOptions& options) {
  with_memory_errors("SaveDataset", [&] {
    const auto compression = compression_named(options.compression);
    if (!compression.has_value())
      throw InvalidArgumentError(cat("Unsupported compression: ", options.compression));
    const bool has_shards = options.shard.function().defined();
    const ElementFunction shard = has_shards ? options.shard.with_own_draws() : ElementFunction();
    SavedWriter writer(path, *compression, dataset.spec(), options.structure);
    Iterator elements(dataset);
    Element element, result;
    while (elements.next(element)) {
      int64_t number = 0;
      if (has_shards) {
        shard.call(element, shard.captures(), result);
        if (result.size() != 1 || result[0].tensor.num_elements() != 1)
          throw InvalidArgumentError("`shard_func` must return a scalar int64.");
        number = static_cast<int64_t>(result[0].tensor.number_at(0));
        if (number < 0)
          throw InvalidArgumentError(cat("`shard_func` must not be negative, but is ", number));
      }
      writer.add(element, number);
    }
    writer.finish();
  });
}

}  // namespace penstock::data
