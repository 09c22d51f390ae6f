// Tallies: sums without a peak or a limit (total allocations, bytes by owner). Each thread adds to
// its own page without locked instructions; a reader sums the pages.
#pragma once

#include <cstdint>

#include <penstock/ledger/ledger.h>

namespace penstock::ledger::tallies {

struct Tally {
  int64_t bytes = 0;
  int64_t count = 0;
};

void add_allocation(int device, Tag tag, int64_t bytes) noexcept;
void add_holding(Owner owner, int64_t bytes, int64_t count) noexcept;

Tally allocations(int device, Tag tag) noexcept;
Tally holding(Owner owner) noexcept;

}  // namespace penstock::ledger::tallies
