"""Control flow as functions: conditions, loops and maps over rows.

Where values are at hand these are Python conditions and loops. Where a predicate is a tensor of a
function that is being traced, both branches, or the body of the loop, become parts of its graph:
symbolic.py makes them."""

from penstock._control_flow import graph_array as _graph_array  # TensorArray is one in functions
