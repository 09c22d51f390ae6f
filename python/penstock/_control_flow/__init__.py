"""Control flow as functions: conditions, loops and maps over rows.

With eager values these are Python conditions and loops. If a predicate is a tensor of a function
being traced, both branches, or the body of the loop, become part of its graph: symbolic.py adds
them."""

from penstock._control_flow import graph_array as _graph_array  # TensorArray is one in functions
