// Helpers shared by random ops: the start of their streams, and the shapes of draws.
#pragma once

#include <penstock/ops/context.h>
#include <penstock/ops/sample.h>

#include "kernels/philox.h"

namespace penstock::random_inputs {

// Stateful ops have the attributes seed, seed2 and skip, starting at attribute `first`. skip is the
// number of stream blocks that earlier calls took. If it is negative, the caller of the op keeps
// count.
kernels::PhiloxStream stateful_stream(Attrs attrs, size_t first);
// The position of a call with this `skip`, after `taken` blocks.
int64_t place_after(int64_t skip, int64_t taken);
// The index of skip; the number of attributes if there is none.
size_t skip_attr(const OpDef& op);
// The number of blocks of a call whose first output is `output`. Pre: the op has the attributes
// above.
int64_t blocks_taken(const OpDef& op, const Shape& output);

// Stateless ops take a key, a counter and an algorithm as inputs `first` and the two after it …
void check_key(InferContext& ctx, size_t first);
kernels::PhiloxStream keyed_stream(const KernelContext& ctx, size_t first);
// … or a pair of seeds.
void check_seeds(InferContext& ctx, size_t input);
kernels::PhiloxStream mixed_stream(const KernelContext& ctx, size_t input);

// For minval and maxval as inputs `low` and the one after it.
void check_bounds(InferContext& ctx, size_t low);
// Fills `out` from [minval, maxval); rejects bounds in the wrong order.
KernelResult draw_integers(const kernels::PhiloxStream& stream, const View& minval,
                           const View& maxval, const View& out);
// Element `i` of a host input.
int64_t number(const View& view, int64_t i = 0);

// Rejects an output shape that does not end with that of the parameters.
void check_ends_with(InferContext& ctx, const Shape& shape, const Shape& parameters);
// The number of draws per parameter in an output of that shape.
int64_t samples_per_parameter(const View& out, int64_t parameters);

// A key, a counter and an algorithm for samples.
inline SampleInput key() { return given(DType::kUInt64, {1}, {123456789012.0}); }
inline SampleInput counter() { return given(DType::kUInt64, {2}, {5, 77}); }
inline SampleInput algorithm() { return given(DType::kInt32, {}, {1}); }

}  // namespace penstock::random_inputs
