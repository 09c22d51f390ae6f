// Dataset: an input pipeline. A dataset is an immutable description of elements; an Iterator
// computes them.
//
//   const auto ds = data::Dataset::range(10).map(f).batch(4);
//   for (const data::Element& element : ds) use(element[0].tensor);
//
// A dataset consists of stages (src/data/stages): a source, then transformations. Every stage is
// made of input datasets, operands (tensors), functions and settings. Whatever a stage buffers is in
// the ledger under `dataset`.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <penstock/base/export.h>
#include <penstock/data/element.h>
#include <penstock/data/element_function.h>
#include <penstock/data/memory_plan.h>
#include <penstock/tensor/tensor.h>

namespace penstock::data {

class Iterator;

// Cardinalities that are no number of elements.
inline constexpr int64_t kInfinite = -1;
inline constexpr int64_t kUnknown = -2;
// A number of parallel calls or of prefetched elements that the runtime chooses.
inline constexpr int64_t kAutotune = -1;

// A source that the host provides, such as a Python generator.
class PEN_API HostSource {
 public:
  class PEN_API Elements {
   public:
    virtual ~Elements() = default;
    virtual bool next(Element& element) = 0;
  };
  virtual ~HostSource() = default;
  virtual std::unique_ptr<Elements> iterate(std::span<const Tensor> arguments) const = 0;
};

class PEN_API Dataset {
 public:
  Dataset() = default;
  bool defined() const { return state_ != nullptr; }

  // The parts of a stage. A setting is a number with a name; those left out have their defaults.
  struct Parts {
    std::vector<Dataset> inputs = {};
    std::vector<Tensor> operands = {};
    std::vector<ElementFunction> functions = {};
    std::vector<std::pair<std::string, int64_t>> settings = {};
    Spec spec = {};  // for stages that cannot infer it
    std::shared_ptr<const HostSource> host = {};
    std::shared_ptr<const DatasetState> shares = {};  // a dataset whose seeds are used as well
  };
  // The dataset of the stage with that name. Throws what the stage throws for invalid parts.
  static Dataset make(std::string_view stage, Parts parts);
  // A dataset argument of a function that is traced: an input of the trace stands for it
  // (traced_iterator.h).
  static Dataset argument(Trace& trace, Spec elements);

  // Sources.
  static Dataset from_tensors(std::span<const Tensor> components);
  static Dataset from_tensor_slices(std::span<const Tensor> components);
  static Dataset range(int64_t stop) { return range(0, stop, 1); }
  static Dataset range(int64_t start, int64_t stop, int64_t step);
  // Random numbers in [0, 2^32), without end.
  static Dataset random(int64_t seed, int64_t seed2, bool rerandomize_each_iteration = false);
  // The elements of `datasets` in the order of their numbers, which `choices` gives.
  static Dataset choose(const Dataset& choices, std::span<const Dataset> datasets,
                        bool stop_on_empty = true);
  // The same in random order. `weights` is a float vector, not necessarily normalised.
  static Dataset sample(std::span<const Dataset> datasets, const Tensor& weights, int64_t seed,
                        int64_t seed2, bool stop_on_empty = false,
                        bool rerandomize_each_iteration = false);
  // The lines of text files, without their ends; records of TFRecord files; records of one size.
  // Compressions are "", "GZIP" and "ZLIB"; a buffer of 0 bytes has the default size.
  static Dataset text_lines(std::span<const std::string> files, std::string_view compression = "",
                            int64_t buffer_bytes = 0);
  static Dataset records(std::span<const std::string> files, std::string_view compression = "",
                         int64_t buffer_bytes = 0);
  static Dataset fixed_length_records(std::span<const std::string> files, int64_t record_bytes,
                                      int64_t header_bytes = 0, int64_t footer_bytes = 0,
                                      std::string_view compression = "", int64_t buffer_bytes = 0);
  // What save() (saved.h) wrote.
  static Dataset load(const std::string& path, std::string_view compression = "");

  // Transformations.
  Dataset map(ElementFunction function, int64_t parallel_calls = 1) const;
  Dataset filter(ElementFunction predicate) const;
  Dataset batch(int64_t size, bool drop_remainder = false) const;
  Dataset shuffle(int64_t buffer_size, int64_t seed, int64_t seed2,
                  bool reshuffle_each_iteration = true) const;
  // shuffle() and repeat() with one buffer, which is not emptied between the epochs.
  // Of a shuffled dataset: its epochs, drawn from one buffer that reads ahead into the next epoch.
  Dataset repeat_shuffled(const Tensor& count) const;
  Dataset shuffle_and_repeat(int64_t buffer_size, int64_t seed, int64_t seed2,
                             int64_t count = kInfinite, bool reshuffle_each_iteration = true) const;
  // Elements are kept for the next epochs, in memory or in files FILE.index and FILE.data-….
  Dataset cache(std::string_view file = "") const;
  Dataset repeat(int64_t count = kInfinite) const;
  Dataset take(int64_t count) const;
  Dataset skip(int64_t count) const;
  Dataset prefetch(int64_t buffer_size = kAutotune) const;
  // The function gives a dataset. One after the other, or `block` elements of `cycle` of them in
  // turn.
  Dataset flat_map(ElementFunction function) const;
  Dataset interleave(ElementFunction function, int64_t cycle = kAutotune, int64_t block = 1,
                     int64_t parallel_calls = 1) const;
  // Pads each component to the largest of the batch, with zeros or empty strings.
  Dataset padded_batch(int64_t size, bool drop_remainder = false) const;
  Dataset unbatch() const;
  Dataset rebatch(int64_t size, bool drop_remainder = false) const;
  // Datasets of `size` elements, which begin `shift` elements apart (0: `size`).
  Dataset window(int64_t size, int64_t shift = 0, int64_t stride = 1,
                 bool drop_remainder = false) const;
  // key(element) and window_size(key) give an int64, reduce(key, dataset) a dataset.
  Dataset group_by_window(ElementFunction key, ElementFunction reduce,
                          ElementFunction window_size) const;
  // function(state, element) gives the next state and an element.
  Dataset scan(std::span<const Tensor> state, ElementFunction function) const;
  Dataset take_while(ElementFunction predicate) const;
  Dataset unique() const;
  Dataset concatenate(const Dataset& other) const;
  Dataset shard(int64_t num_shards, int64_t index) const;
  // The element's number in front.
  Dataset enumerate(int64_t start = 0) const;
  Dataset ignore_errors(bool log_warning = false) const;
  static Dataset zip(std::span<const Dataset> inputs);
  // Saves the elements below `path` when they are first read to the end, and then reads them there.
  Dataset snapshot(const std::string& path, std::string_view compression = "") const;

  const Spec& spec() const;
  std::string_view stage() const;
  // The number of elements, kInfinite or kUnknown.
  int64_t cardinality() const;
  // What an iterator will hold, before it runs.
  MemoryPlan memory_plan() const;
  // Whether it is, or contains, a template: see element_function.h.
  bool is_template() const;
  // The tensors of traces that a template depends on.
  std::vector<Tensor> symbols() const;

  Iterator begin() const;
  std::nullptr_t end() const { return nullptr; }

  // For the layers below the API.
  explicit Dataset(std::shared_ptr<const DatasetState> state) : state_(std::move(state)) {}
  const std::shared_ptr<const DatasetState>& state() const { return state_; }

 private:
  std::shared_ptr<const DatasetState> state_;
};

// Computes the elements of a dataset. It may be used by several threads, which then share the
// elements. Dropping it stops its threads and returns what it holds.
class PEN_API Iterator {
 public:
  explicit Iterator(const Dataset& dataset);

  // Replaces *element by the next one; false at the end. A failed element throws; the next call goes
  // on with the one after it.
  bool next(Element& element);
  // The position, with everything buffered, as bytes; and back into an iterator of an equal dataset.
  // Throws NotFoundError if the dataset differs.
  std::string save();
  void restore(std::string_view bytes);
  // Stops the threads and drops the buffers: as if all elements had been given.
  void close();

  // For range-for.
  const Element& operator*() const;
  Iterator& operator++();
  bool operator==(std::nullptr_t) const;

  struct State;

 private:
  std::shared_ptr<State> state_;
};

// Ends all iterators of the process, before the host of their functions goes away. An iterator whose
// threads are busy for longer than a second is abandoned: it is never destroyed, nor are iterators
// that end later.
PEN_API void close_all_iterators();

}  // namespace penstock::data
