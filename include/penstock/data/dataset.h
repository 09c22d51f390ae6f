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
  };
  // The dataset of the stage with that name. Throws what the stage throws for invalid parts.
  static Dataset make(std::string_view stage, Parts parts);
  // Inside a traced function: its dataset argument `index`.
  static Dataset argument(int64_t index, Spec elements);

  // Sources.
  static Dataset from_tensors(std::span<const Tensor> components);
  static Dataset from_tensor_slices(std::span<const Tensor> components);
  static Dataset range(int64_t stop) { return range(0, stop, 1); }
  static Dataset range(int64_t start, int64_t stop, int64_t step);
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
  Dataset repeat(int64_t count = kInfinite) const;
  Dataset take(int64_t count) const;
  Dataset skip(int64_t count) const;
  Dataset prefetch(int64_t buffer_size = kAutotune) const;
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

// Ends all iterators of the process: before the host goes away.
PEN_API void close_all_iterators();

}  // namespace penstock::data
