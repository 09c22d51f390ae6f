// Cache: the elements of the first iterator that reaches the end are kept, in memory or in files, and
// given to all that are made later.
#include <mutex>
#include <optional>

#include <penstock/base/error.h>

#include "data/cache_file.h"
#include "data/element_store.h"
#include "data/plan_builder.h"
#include "data/stage_iterator.h"

namespace penstock::data {
namespace {

// The elements of an iterator; complete ones are not changed any more.
struct Elements {
  Elements(const Spec& spec, int64_t expected) : store(spec, "cache", expected) {}
  ElementStore store;
  int64_t count = 0;
};

class MemoryCache : public Shared {
 public:
  std::shared_ptr<const Elements> complete() {
    const std::lock_guard lock(mutex_);
    return complete_;
  }
  // The first one stays.
  void set(std::shared_ptr<const Elements> elements) {
    const std::lock_guard lock(mutex_);
    if (complete_ == nullptr) complete_ = std::move(elements);
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<const Elements> complete_;
};

std::string name_of(const DatasetState& state) {
  return std::string(state.operands[0].string_at(0));
}

void infer(DatasetState& state) {
  check_scalar(state, 0, "filename");
  if (state.operands[0].dtype() != DType::kString)
    throw TypeError("[CacheDataset] filename must be a string");
  state.spec = state.input().spec();
}

std::shared_ptr<Shared> share(const DatasetState&) { return std::make_shared<MemoryCache>(); }

// The input is iterated by an iterator that fills a cache only.
class CachingIterator : public NamedIterator {
 public:
  using NamedIterator::NamedIterator;

 protected:
  // The next element of the input. What the input throws is no failure of the cache: the element is
  // left out, as in TensorFlow.
  bool pull(Element& element) { return input_->next(element); }

  StageIteratorRef input_;  // null for a cache that is complete
};

class MemoryIterator final : public CachingIterator {
 public:
  MemoryIterator(StateRef state, const Scope& scope) : CachingIterator(std::move(state), scope) {
    complete_ = cache().complete();
    if (complete_ != nullptr) return;
    input_ = iterate(state_->input(), scope);
    filling_ = make_elements();
  }

  bool next(Element& element) override {
    if (complete_ != nullptr) {
      if (given_ == complete_->count) {
        element.clear();
        return false;
      }
      complete_->store.peek(given_, element);
      ++given_;
      return true;
    }
    if (input_ == nullptr) return false;
    if (!pull(element)) {
      end();
      return false;
    }
    keep(element);
    return true;
  }

 private:
  MemoryCache& cache() const { return static_cast<MemoryCache&>(*state_->shared); }
  std::shared_ptr<Elements> make_elements() const {
    const int64_t expected = state_->input().cardinality();
    return std::make_shared<Elements>(state_->spec, expected >= 0 ? expected : kUnknown);
  }

  // An element that cannot be kept makes the cache useless: it is dropped at once.
  void keep(Element& element) {
    if (filling_ == nullptr) return;
    try {
      filling_->store.put(filling_->count, element);
    } catch (...) {
      filling_.reset();
      throw;
    }
    ++filling_->count;
  }

  void end() {
    input_.reset();
    if (filling_ == nullptr) return;
    filling_->store.finish(filling_->count);
    cache().set(std::move(filling_));
  }

  void save_own(StateWriter& out) override {
    const Elements* const elements = complete_ != nullptr ? complete_.get() : filling_.get();
    out.number(complete_ != nullptr);
    out.number(elements != nullptr);
    if (elements != nullptr) {
      out.number(elements->count);
      Element element;
      for (int64_t i = 0; i < elements->count; ++i) {
        scope_.step();
        elements->store.peek(i, element);
        out.element(element);
      }
    }
    out.number(given_);
    out.number(input_ == nullptr);
    if (input_ != nullptr) input_->save(out);
  }

  void restore_own(StateReader& in) override {
    const bool is_complete = in.count(1) != 0;
    filling_.reset();
    if (in.count(1) != 0) restore_elements(in, is_complete);
    given_ = in.count(complete_ != nullptr ? complete_->count : 0);
    if (in.count(1) != 0) {
      input_.reset();
    } else {
      if (input_ == nullptr) input_ = iterate(state_->input(), scope_);
      input_->restore(in);
    }
  }

  // A cache that is complete by now is not filled twice.
  void restore_elements(StateReader& in, bool is_complete) {
    const int64_t count = in.count(INT64_MAX);
    const bool is_known = is_complete && complete_ != nullptr && complete_->count == count;
    if (!is_complete) complete_.reset();
    filling_ = is_known ? nullptr : make_elements();
    Element element;
    for (int64_t i = 0; i < count; ++i) {
      scope_.step();
      in.element(element);
      if (is_known) continue;
      keep(element);
    }
    if (!is_complete || is_known) return;
    filling_->store.finish(count);
    complete_ = std::move(filling_);
    cache().set(complete_);
  }

  std::shared_ptr<const Elements> complete_;  // that are read; null while they are collected
  std::shared_ptr<Elements> filling_;         // null if they could not be kept
  int64_t given_ = 0;                         // of the complete ones
};

class FileIterator final : public CachingIterator {
 public:
  FileIterator(StateRef state, const Scope& scope)
      : CachingIterator(std::move(state), scope), name_(name_of(*state_)) {
    if (has_cache_file(name_)) {
      reader_.emplace(name_, state_->spec);
    } else {
      start_writing();
    }
  }

  bool next(Element& element) override {
    if (reader_.has_value()) {
      if (reader_->next(element)) return true;
      element.clear();
      return false;
    }
    if (input_ == nullptr) return false;
    if (!pull(element)) {
      end();
      return false;
    }
    keep(element);
    return true;
  }

 private:
  void start_writing() {
    if (input_ == nullptr) input_ = iterate(state_->input(), scope_);
    writer_.emplace(name_, state_->spec);
  }

  void keep(const Element& element) {
    if (!writer_.has_value()) return;
    try {
      writer_->add(element);
    } catch (...) {
      writer_.reset();
      throw;
    }
  }

  void end() {
    input_.reset();
    if (!writer_.has_value()) return;
    try {
      writer_->finish();
    } catch (...) {
      writer_.reset();
      throw;
    }
    writer_.reset();
  }

  void save_own(StateWriter& out) override {
    out.number(reader_.has_value());
    if (reader_.has_value()) {
      out.number(reader_->offset());
      out.number(reader_->number());
      return;
    }
    out.number(writer_.has_value());
    if (writer_.has_value()) {
      out.number(writer_->count());
      CacheFileReader reader = writer_->reader();
      for (Element element; reader.next(element);) {
        scope_.step();
        out.element(element);
      }
    }
    out.number(input_ == nullptr);
    if (input_ != nullptr) input_->save(out);
  }

  void restore_own(StateReader& in) override {
    if (in.count(1) != 0) {
      if (!reader_.has_value()) reader_.emplace(name_, state_->spec);
      writer_.reset();
      input_.reset();
      const int64_t offset = in.count(INT64_MAX);
      reader_->seek(offset, in.count(INT64_MAX));
      return;
    }
    reader_.reset();
    writer_.reset();
    if (in.count(1) != 0) {
      start_writing();
      const int64_t count = in.count(INT64_MAX);
      Element element;
      for (int64_t i = 0; i < count; ++i) {
        scope_.step();
        in.element(element);
        keep(element);
      }
    }
    if (in.count(1) != 0) {
      input_.reset();
    } else {
      if (input_ == nullptr) input_ = iterate(state_->input(), scope_);
      input_->restore(in);
    }
  }

  const std::string name_;
  std::optional<CacheFileReader> reader_;
  std::optional<CacheFileWriter> writer_;  // none if the elements could not be kept
};

StageIteratorRef make(StateRef state, const Scope& scope) {
  if (name_of(*state).empty()) return make_iterator<MemoryIterator>(std::move(state), scope);
  return make_iterator<FileIterator>(std::move(state), scope);
}

void plan(const DatasetState& state, PlanBuilder& plan) {
  const int64_t input = state.input().cardinality();
  if (name_of(state).empty())
    plan.stored(state, "a cache", PlanBuilder::Use::kKept, input, state.input(), input >= 0);
}

}  // namespace

extern const StageDef kCache;
const StageDef kCache = {.name = "Cache",
                         .num_operands = 1,
                         .infer = infer,
                         .share = share,
                         .iterate = make,
                         .plan = plan,
                         .largest = largest_in_order};

}  // namespace penstock::data
