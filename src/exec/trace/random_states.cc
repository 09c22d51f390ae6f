#include "exec/trace/random_states.h"

#include <array>
#include <bit>
#include <vector>

#include <penstock/base/error.h>

#include "exec/trace/trace_state.h"
#include "ops/random_inputs.h"

namespace penstock {
namespace exec {

// The notes of a RepeatedDraws: stream positions of eager calls, states of nodes of one trace.
struct DrawNotes {
  std::vector<int64_t> places;
  std::vector<RandomStateRef> states;
  size_t next_place = 0, next_state = 0;
  bool is_again = false;
  const TraceState* trace = nullptr;
  DrawNotes* outer = nullptr;
};

namespace {

thread_local const RandomStateRef* t_state = nullptr;
thread_local DrawNotes* t_notes = nullptr;

// The outermost trace that regions belong to.
const TraceState* whole(const TraceState* trace) {
  while (trace != nullptr && trace->is_region) trace = trace->outer;
  return trace;
}

int64_t noted_place(DrawNotes* notes, auto take) {
  if (notes == nullptr) return take();
  if (notes->is_again && notes->next_place < notes->places.size())
    return notes->places[notes->next_place++];
  const int64_t place = noted_place(notes->outer, take);
  if (!notes->is_again) notes->places.push_back(place);
  return place;
}

RandomStateRef noted_state(DrawNotes* notes, const TraceState* trace) {
  while (notes != nullptr && notes->trace != trace) notes = notes->outer;
  if (notes == nullptr) return make_random_state(RandomState::Restarts::kWithSeed);
  if (notes->is_again && notes->next_state < notes->states.size())
    return repeated(notes->states[notes->next_state++]);
  RandomStateRef state = noted_state(notes->outer, trace);
  if (!notes->is_again) notes->states.push_back(state);
  return state;
}

// The stream positions of eager calls, by the key for which TensorFlow reuses a kernel. Of fixed
// size: if too many share a set, the least recently used restarts.
class Positions {
 public:
  using Key = std::array<uint64_t, 2>;

  int64_t take(const Key& key, int64_t blocks) {
    const std::lock_guard lock(mutex_);
    Entry* const set = entries_.data() + key[0] % kSets * kWays;
    Entry* found = set;
    for (size_t i = 0; i < kWays; ++i) {
      if (set[i].used != 0 && set[i].key == key) {
        found = set + i;
        break;
      }
      if (set[i].used < found->used) found = set + i;
    }
    if (found->used == 0 || found->key != key) *found = {key, 0, 0};
    found->used = ++clock_;
    const int64_t place = found->next;
    found->next =
        static_cast<int64_t>(static_cast<uint64_t>(place) + static_cast<uint64_t>(blocks));
    return place;
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    if (clock_ != 0) entries_.fill({});
    clock_ = 0;
  }

 private:
  static constexpr size_t kSets = 1024, kWays = 8;
  struct Entry {
    Key key;
    int64_t next;
    uint64_t used;  // 0: free
  };

  std::mutex mutex_;
  uint64_t clock_ = 0;
  std::array<Entry, kSets * kWays> entries_{};
};
constinit Positions g_positions;

class Hash {
 public:
  void add(uint64_t word) {
    for (uint64_t& lane : lanes_) {
      lane = (lane ^ word) * 0x9E3779B97F4A7C15u;
      lane ^= lane >> 29;
      word = word * 0xBF58476D1CE4E5B9u + 1;
    }
  }
  void add(const Attr& attr) {
    add(static_cast<uint64_t>(attr.kind()));
    switch (attr.kind()) {
      case AttrKind::kInt:
        return add(static_cast<uint64_t>(attr.as_int()));
      case AttrKind::kFloat:
        return add(std::bit_cast<uint64_t>(attr.as_float()));
      case AttrKind::kBool:
        return add(static_cast<uint64_t>(attr.as_bool()));
      case AttrKind::kDType:
        return add(static_cast<uint64_t>(attr.as_dtype()));
      case AttrKind::kString:
        for (char c : attr.as_string()) add(static_cast<uint64_t>(c));
        return;
      case AttrKind::kInts:
        for (int64_t number : attr.as_ints()) add(static_cast<uint64_t>(number));
        return;
      case AttrKind::kNone:
        return;
    }
  }
  Positions::Key get() const { return lanes_; }

 private:
  Positions::Key lanes_ = {0x243F6A8885A308D3u, 0x13198A2E03707344u};
};

Positions::Key key_of(const OpDef& op, std::span<const View> inputs, Attrs attrs, size_t skip) {
  Hash hash;
  hash.add(reinterpret_cast<uintptr_t>(&op));
  for (const View& input : inputs) hash.add(static_cast<uint64_t>(input.dtype));
  for (size_t i = 0; i < attrs.size(); ++i) {
    if (i != skip) hash.add(attrs[i]);
  }
  return hash.get();
}

}  // namespace

RandomStateRef StateMap::find(const RandomStateRef& original) {
  const auto found = entries_.find(original.get());
  if (found != entries_.end()) return found->second.own;
  RandomStateRef own = original->source() != nullptr ? make_random_state(find(original->source()))
                       : restarts == RandomState::Restarts::kWithSeed && t_trace != nullptr
                           ? noted_state(t_notes, whole(t_trace))
                           : make_random_state(restarts);
  entries_.emplace(original.get(), Entry{original, own});
  return own;
}

RandomStateRef StateMap::of(const RandomStateRef& original) {
  const std::lock_guard lock(mutex_);
  return find(original);
}

DrawsBy::DrawsBy(RandomStateRef state) : state_(std::move(state)), before_(t_state) {
  t_state = &state_;
}
DrawsBy::~DrawsBy() { t_state = before_; }

RandomStateRef state_of_call(const TraceState& trace, const OpDef& op) {
  if (!op.traits.has(Trait::kStateful) || trace.is_probe) return nullptr;
  return t_state != nullptr ? *t_state : noted_state(t_notes, whole(&trace));
}

Attrs placed(const OpDef& op, std::span<const View> inputs, const Shape& output, Attrs attrs,
             OwnAttrs& own) {
  const size_t skip = random_inputs::skip_attr(op);
  if (skip == attrs.size()) return attrs;
  const int64_t start = attrs[skip].as_int();
  if (t_state == nullptr && start >= 0) return attrs;
  const int64_t blocks = random_inputs::blocks_taken(op, output);
  const int64_t first = t_state != nullptr
                            ? random_inputs::place_after(start, (*t_state)->take(blocks))
                            : noted_place(t_notes, [&] {
                                return g_positions.take(key_of(op, inputs, attrs, skip), blocks);
                              });
  own = OwnAttrs(attrs.begin(), attrs.end());
  own[skip] = Attr(first);
  return {own.data(), own.size()};
}

}  // namespace exec

RandomStates::RandomStates()
    : map_(std::make_shared<exec::StateMap>(RandomState::Restarts::kNever)) {}

RepeatedDraws::RepeatedDraws() : notes_(std::make_unique<exec::DrawNotes>()) {}
RepeatedDraws::~RepeatedDraws() = default;

void RepeatedDraws::enter() {
  notes_->outer = exec::t_notes;
  notes_->next_place = notes_->next_state = 0;
  if (!notes_->is_again) notes_->trace = exec::whole(exec::t_trace);
  exec::t_notes = notes_.get();
}
void RepeatedDraws::exit() {
  exec::t_notes = notes_->outer;
  notes_->is_again = true;
}

void restart_random_streams() {
  RandomState::restart_all();
  exec::g_positions.clear();
}

}  // namespace penstock
