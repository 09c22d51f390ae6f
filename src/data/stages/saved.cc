// Load: the elements of a saved dataset. Snapshot: saves the elements of its input while the first
// iterator gives them, and reads them later.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>

#include <penstock/base/crc32c.h>
#include <penstock/base/error.h>
#include <penstock/base/strings.h>

#include "data/files/saved.h"
#include "data/plan_builder.h"
#include "data/stage_iterator.h"
#include "exec/trace/function_state.h"

namespace penstock::data {
namespace {

// Load: path, compression, shard.
enum { kPath, kCompression, kShard };

struct SavedShared final : Shared {
  SavedInfo info;
};

const SavedInfo& info_of(const DatasetState& state) {
  return static_cast<const SavedShared&>(*state.shared).info;
}

std::string path_of(const DatasetState& state) { return std::string(text_of(state, kPath)); }

// A spec that the caller gives must have the dtypes of what is saved.
void infer_load(DatasetState& state) {
  check_scalar(state, kShard, "shard");
  if (is_known(state, kCompression) && !compression_named(text_of(state, kCompression)).has_value())
    throw InvalidArgumentError(cat("Unsupported compression: ", text_of(state, kCompression)));
  if (!is_known(state, kPath)) {
    if (state.spec.empty())
      throw InvalidArgumentError("[LoadDataset] needs a spec: its path is not known yet");
    return;
  }
  Spec saved = saved_dataset(path_of(state)).spec;
  if (state.spec.empty()) {
    state.spec = std::move(saved);
    return;
  }
  bool is_same = saved.size() == state.spec.size();
  for (size_t i = 0; is_same && i < saved.size(); ++i)
    is_same = saved[i].dtype == state.spec[i].dtype;
  if (!is_same)
    throw InvalidArgumentError(
        cat("[LoadDataset] the elements saved are ", saved, ", not ", state.spec));
}

std::shared_ptr<Shared> share_load(const DatasetState& state) {
  auto shared = std::make_shared<SavedShared>();
  shared->info = read_saved(path_of(state));
  const int64_t shard = state.number(kShard);
  const auto shards = static_cast<int64_t>(shared->info.about.shards.size());
  if (shard < kAllShards || shard >= shards)
    throw InvalidArgumentError(cat("[LoadDataset] there is no shard ", shard, " of ", shards));
  return shared;
}

int64_t count_of(const SavedInfo& info, int64_t shard) {
  if (shard != kAllShards) return info.about.shards[static_cast<size_t>(shard)];
  int64_t sum = 0;
  for (const int64_t count : info.about.shards) sum += count;
  return sum;
}

StageIteratorRef iterate_load(StateRef state, const Scope& scope) {
  const DatasetState& known = *state;
  return std::make_unique<SavedIterator>(std::move(state), scope, path_of(known), info_of(known),
                                         *compression_named(text_of(known, kCompression)),
                                         known.number(kShard));
}

void plan_load(const DatasetState& state, PlanBuilder& plan) {
  if (count_of(info_of(state), state.number(kShard)) == 0) return;
  const Compression compression = *compression_named(text_of(state, kCompression));
  plan.bytes(state, "a read buffer", FileReader::bytes_held(compression, kSavedBuffer),
             compression == Compression::kNone);
}

// Snapshot: path, compression. The folder `path` contains one for each pipeline that was saved
// there, by its fingerprint.

// What a pipeline computes, in words that differ for different ones. False if it cannot be said:
// then it computes something else each time, or may.
bool describe(const Dataset& dataset, std::string* text) {
  const DatasetState& state = *dataset.state();
  if (state.host != nullptr) return false;
  *text += cat(state.stage->name, "(");
  for (const Dataset& input : state.inputs) {
    if (!describe(input, text)) return false;
  }
  const auto add = [&](const Tensor& tensor) {
    uint32_t crc = 0;
    if (tensor.dtype() == DType::kString) {
      for (int64_t i = 0; i < tensor.num_elements(); ++i) {
        const std::string_view each = tensor.string_at(i);
        const uint64_t size = each.size();
        crc = crc32c(each.data(), each.size(), crc32c(&size, sizeof size, crc));
      }
    } else if (tensor.num_bytes() > 0) {
      crc = crc32c(tensor.raw(), static_cast<size_t>(tensor.num_bytes()));
    }
    *text += cat(tensor.dtype(), tensor.shape(), ":", crc, ",");
  };
  for (const Tensor& operand : state.operands) add(operand);
  for (const int64_t setting : state.settings) *text += cat(setting, ",");
  for (const ElementFunction& function : state.functions) {
    const exec::FunctionState& traced = function.function().state();
    // Regions have constants of their own.
    if (function.is_stateful() || !traced.variables.empty() || traced.graph.depth() > 0)
      return false;
    *text += function.function().text();
    for (size_t i = 0; i < traced.graph.num_constants(); ++i)
      add(traced.graph.constant(static_cast<int32_t>(i)));
  }
  *text += cat(")", state.spec);
  return true;
}

struct SnapshotShared final : Shared {
  std::string path;
};

std::shared_ptr<Shared> share_snapshot(const DatasetState& state) {
  std::string text;
  uint64_t hash = 0xCBF29CE484222325u;  // FNV-1a
  if (describe(state.input(), &text)) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  } else {
    static std::atomic<uint64_t> counter{0};
    hash ^= static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()) +
            (counter.fetch_add(1) << 48);
  }
  char name[32];
  std::snprintf(name, sizeof name, "/%016llx", static_cast<unsigned long long>(hash));
  auto shared = std::make_shared<SnapshotShared>();
  shared->path = path_of(state) + name;
  return shared;
}

// A compression that is unknown is none, as with TensorFlow.
Compression snapshot_compression(const DatasetState& state) {
  return compression_named(text_of(state, kCompression)).value_or(Compression::kNone);
}

void infer_snapshot(DatasetState& state) {
  if (is_known(state, kPath)) text_of(state, kPath);
  if (is_known(state, kCompression)) text_of(state, kCompression);
  state.spec = state.input().spec();
}

class SnapshotIterator final : public NamedIterator {
 public:
  SnapshotIterator(StateRef state, const Scope& scope)
      : NamedIterator(std::move(state), scope),
        path_(static_cast<const SnapshotShared&>(*state_->shared).path) {
    if (is_saved(path_)) {
      begin_reading();
    } else {
      input_ = iterate(state_->input(), scope_);
    }
  }

  bool next(Element& element) override {
    if (saved_ != nullptr) return saved_->next(element);
    if (!has_begun_) {
      has_begun_ = true;
      writer_.emplace(path_, snapshot_compression(*state_), state_->spec, "");
    }
    try {
      if (input_->next(element)) {
        if (writer_.has_value()) writer_->add(element, 0);
        return true;
      }
      if (writer_.has_value()) writer_->finish();
    } catch (...) {
      writer_.reset();  // elements that failed are not in it
      throw;
    }
    writer_.reset();
    return false;
  }

 private:
  void begin_reading() {
    SavedInfo info = read_saved(path_);
    const Compression compression = *compression_named(info.about.compression);
    saved_ = std::make_unique<SavedIterator>(state_, scope_, path_, std::move(info), compression,
                                             kAllShards);
  }

  void save_own(StateWriter& out) override {
    out.number(saved_ != nullptr);
    if (saved_ != nullptr) {
      saved_->save(out);
    } else {
      input_->save(out);
    }
  }

  // A snapshot is written by an iterator that sees all elements: this one does not.
  void restore_own(StateReader& in) override {
    const bool was_reading = in.count(1) != 0;
    writer_.reset();
    saved_.reset();
    if (was_reading) {
      begin_reading();
      saved_->restore(in);
    } else {
      has_begun_ = true;
      input_ = iterate(state_->input(), scope_);
      input_->restore(in);
    }
  }

  const std::string path_;
  std::unique_ptr<SavedIterator> saved_;
  StageIteratorRef input_;
  bool has_begun_ = false;
  std::optional<SavedWriter> writer_;
};

// A writer, then a reader, never both.
void plan_snapshot(const DatasetState& state, PlanBuilder& plan) {
  const Compression compression = snapshot_compression(state);
  plan.bytes(state, "a buffer of its file",
             compression == Compression::kNone
                 ? kSavedBuffer
                 : std::max(FileReader::bytes_held(compression, kSavedBuffer),
                            2 * kSavedBuffer + kDeflaterBytes),
             compression == Compression::kNone);
}

}  // namespace

extern const StageDef kLoad, kSnapshot;
const StageDef kLoad = {
    .name = "Load",
    .num_inputs = 0,
    .num_operands = 3,
    .infer = infer_load,
    .cardinality =
        [](const DatasetState& state) { return count_of(info_of(state), state.number(kShard)); },
    .share = share_load,
    .iterate = iterate_load,
    .plan = plan_load};
const StageDef kSnapshot = {.name = "Snapshot",
                            .num_operands = 2,
                            .infer = infer_snapshot,
                            .share = share_snapshot,
                            .iterate = make_iterator<SnapshotIterator>,
                            .plan = plan_snapshot};

}  // namespace penstock::data
