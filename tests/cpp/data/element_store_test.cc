// ElementStore: elements come back as they were put, from memory and from the file.
#include "data/element_store.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <map>

#include "data/pipelines.h"
#include "data/spill_file.h"
#include "kernels/philox.h"
#include "support/testing.h"

namespace penstock::data {
namespace {

using testing_support::BudgetScope;

Element element_of(const Spec& spec, int64_t number) {
  Element element;
  for (const ComponentSpec& component : spec) {
    Shape shape = component.shape;
    if (!shape.has_rank()) shape = number % 2 == 0 ? Shape{} : Shape{2, number % 5};
    for (int i = 0; i < shape.rank(); ++i) {
      if (shape[i] == kUnknownDim) shape.set(i, number % 7);
    }
    if (component.dtype == DType::kString) {
      std::vector<std::string> texts;
      for (int64_t i = 0; i < shape.num_elements(); ++i)
        texts.push_back(std::string(static_cast<size_t>(number * 37 % 400), 'a') +
                        std::to_string(number));
      const std::vector<std::string_view> views(texts.begin(), texts.end());
      element.push_back(Tensor::from_strings(views, shape));
      continue;
    }
    Tensor tensor = Tensor::empty(component.dtype, shape);
    std::memset(tensor.raw(), static_cast<int>(number * 31 % 251),
                static_cast<size_t>(tensor.num_bytes()));
    element.push_back(std::move(tensor));
  }
  return element;
}

bool are_equal(const Element& a, const Element& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    const Tensor &x = a[i].tensor, &y = b[i].tensor;
    if (x.dtype() != y.dtype() || x.shape() != y.shape()) return false;
    for (int64_t j = 0; x.dtype() == DType::kString && j < x.num_elements(); ++j) {
      if (x.string_at(j) != y.string_at(j)) return false;
    }
    if (x.dtype() != DType::kString && x.num_bytes() > 0 &&
        std::memcmp(x.raw(), y.raw(), static_cast<size_t>(x.num_bytes())) != 0)
      return false;
  }
  return true;
}

const std::vector<Spec>& specs() {
  static const auto* const all = new std::vector<Spec>{
      {{DType::kInt64, Shape{}}},
      {{DType::kFloat32, Shape{3, 50}}, {DType::kBool, Shape{}}, {DType::kInt8, Shape{0}}},
      {{DType::kFloat32, Shape{35000}}, {DType::kInt64, Shape{}}},
      {{DType::kString, Shape{}}},
      {{DType::kString, Shape{kUnknownDim}}, {DType::kInt16, Shape{kUnknownDim, 3}}},
      {{DType::kFloat64, Shape::unknown_rank()}},
  };
  return *all;
}

// Random steps against a plain map.
void exercise(const Spec& spec, int64_t slots, int64_t expected, int steps) {
  ElementStore store(spec, "test", expected);
  std::map<int64_t, int64_t> model;
  int64_t made = 0, number = 0;
  for (; made < slots / 2; ++made) {
    Element element = element_of(spec, number);
    store.put(made, element);
    model[made] = number++;
  }
  kernels::PhiloxWords words(kernels::PhiloxStream::seeded(1, 2));
  for (int step = 0; step < steps; ++step) {
    const auto some = [&] {
      return std::next(model.begin(), words.next() % static_cast<int64_t>(model.size()));
    };
    Element found;
    const auto kind = words.next() % 3;
    if (kind == 0 || model.size() < 2) {
      int64_t slot = 0;
      while (model.contains(slot)) ++slot;
      if (slot == slots) continue;
      Element element = element_of(spec, number);
      store.put(slot, element);
      model[slot] = number++;
    } else if (kind == 1) {
      const auto at = some();
      store.peek(at->first, found);
      ASSERT_TRUE(are_equal(found, element_of(spec, at->second)));
    } else {
      const auto at = some(), filler = some();
      store.take(at->first, filler->first, found);
      ASSERT_TRUE(are_equal(found, element_of(spec, at->second)));
      at->second = filler->second;
      model.erase(filler);
    }
  }
  store.finish(slots);
  while (!model.empty()) {
    Element found;
    store.take(model.begin()->first, model.begin()->first, found);
    ASSERT_TRUE(are_equal(found, element_of(spec, model.begin()->second)));
    model.erase(model.begin());
  }
}

TEST(ElementStore, InMemory) {
  const TemporaryFolder folder;
  for (const Spec& spec : specs()) {
    SCOPED_TRACE(to_string(spec));
    for (const int64_t expected : {int64_t{40}, kUnknown}) exercise(spec, 40, expected, 300);
    EXPECT_TRUE(folder.files().empty());
  }
}

TEST(ElementStore, BeyondItsShare) {
  const TemporaryFolder folder;
  for (const Spec& spec : specs()) {
    SCOPED_TRACE(to_string(spec));
    for (const int64_t share : {0, 3000, 700000}) {
      // Filled up to the share: the store may take so much.
      const int64_t before = memory::budget();
      memory::set_budget(memory::info().current + (8 << 20));
      const int64_t filling = memory::budget() / 2 - memory::info(Tag::kDataset).current - share;
      const Tensor rest = Tensor::empty(DType::kUInt8, Shape{filling}, Tag::kDataset);
      for (const int64_t expected : {int64_t{60}, kUnknown}) exercise(spec, 60, expected, 400);
      memory::set_budget(before);
    }
    EXPECT_TRUE(folder.files().empty());
  }
}

TEST(ElementStore, ElementsOfAnotherSpecAreRefused) {
  ElementStore store({{DType::kInt64, Shape{2}}}, "test", 3);
  Element wrong;
  wrong.push_back(Tensor{int64_t{1}, int64_t{2}, int64_t{3}});
  EXPECT_ERROR(InvalidArgumentError, "int64[3]", store.put(0, wrong));
}

TEST(ElementStore, FilesOfProcessesThatDiedAreRemoved) {
  const TemporaryFolder folder;
  const std::string stale = "penstock-shuffle-999999999-0.spill";
  const std::string other = "penstock-shuffle-notes.spill";
  for (const std::string& name : {stale, other}) std::ofstream(folder.path(name)) << "x";
  {
    const SpillFile file("shuffle");
    EXPECT_EQ(folder.files().size(), 2u);
  }
  EXPECT_EQ(folder.files(), std::vector<std::string>{other});
}

}  // namespace
}  // namespace penstock::data
