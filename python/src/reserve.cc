#include "reserve.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace nb = nanobind;

namespace penstock::python {
namespace {

// nanobind's tables, above all of instances, grow in functions that must not throw: if operator new
// fails there, the process aborts. So operator new has a reserve, and the table starts large enough
// for most programs.
constexpr size_t kReserveBytes = 1 << 20;  // more than the table's next size; never touched
constexpr size_t kNumReserves = 4;
constexpr size_t kNumInstances = 512;

std::atomic<void*> g_reserves[kNumReserves];
std::new_handler g_before = nullptr;

int fill_up(void*) {
  for (std::atomic<void*>& reserve : g_reserves) {
    if (reserve.load() != nullptr) continue;
    void* block = std::malloc(kReserveBytes);
    void* none = nullptr;
    if (block == nullptr || !reserve.compare_exchange_strong(none, block)) std::free(block);
  }
  return 0;
}

// Called when operator new has failed; it tries again when this returns.
void give_up_reserve() {
  for (std::atomic<void*>& reserve : g_reserves) {
    void* block = reserve.exchange(nullptr);
    if (block == nullptr) continue;
    std::free(block);
    Py_AddPendingCall(fill_up, nullptr);  // between two instructions of the main thread
    return;
  }
  if (g_before == nullptr) throw std::bad_alloc();
  g_before();
}

// At load time, because nanobind's own initialisation has the same problem.
[[gnu::constructor]] void install() {
  fill_up(nullptr);
  g_before = std::set_new_handler(give_up_reserve);
}

}  // namespace

void set_memory_aside(nb::module_& module) {
  const nb::object type = module.attr("LeaveTraces");  // one that does nothing by itself
  nb::list instances;
  for (size_t i = 0; i < kNumInstances; ++i) instances.append(type());
}

}  // namespace penstock::python
