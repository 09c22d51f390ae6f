// What the random ops have in common: where their streams begin, and shapes of draws.
#pragma once

#include <penstock/ops/context.h>
#include <penstock/ops/sample.h>

#include "kernels/philox.h"

namespace penstock::random_inputs {

// Stateful ops have the attributes seed, seed2 and skip, the first of which is number `first`:
// skip says how many blocks of the stream earlier calls took. Where it is negative, who runs the op
// keeps count.
kernels::PhiloxStream stateful_stream(Attrs attrs, size_t first);
// Where a call is that is given `skip`, once so many blocks have been taken.
int64_t place_after(int64_t skip, int64_t taken);
// The number of skip; that of the attributes where there is none.
size_t skip_attr(const OpDef& op);
// How many blocks a call takes whose first output is `output`. Pre: the op has the attributes
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
// Fills `out` from [minval, maxval); refuses bounds in the wrong order.
KernelResult draw_integers(const kernels::PhiloxStream& stream, const View& minval,
                           const View& maxval, const View& out);
// Element `i` of a host input.
int64_t number(const View& view, int64_t i = 0);

// Refuses a shape that does not end with that of the parameters, as an output of draws must.
void check_ends_with(InferContext& ctx, const Shape& shape, const Shape& parameters);
// How many draws an output of that shape holds for each parameter.
int64_t samples_per_parameter(const View& out, int64_t parameters);

// A key, a counter and an algorithm for samples.
inline SampleInput key() { return given(DType::kUInt64, {1}, {123456789012.0}); }
inline SampleInput counter() { return given(DType::kUInt64, {2}, {5, 77}); }
inline SampleInput algorithm() { return given(DType::kInt32, {}, {1}); }

}  // namespace penstock::random_inputs
