// Penstock's C++ API: tensors with exact memory accounting, ops, gradients, functions, variables,
// optimisers.
#pragma once

#include <penstock/api/optimizer.h>
#include <penstock/api/random.h>
#include <penstock/autodiff/forward.h>
#include <penstock/autodiff/tape.h>
#include <penstock/base/error.h>
#include <penstock/base/threads.h>
#include <penstock/exec/control.h>
#include <penstock/exec/evaluate_now.h>
#include <penstock/exec/function.h>
#include <penstock/exec/host_call.h>
#include <penstock/exec/interrupts.h>
#include <penstock/exec/loop_counters.h>
#include <penstock/exec/memory_plan.h>
#include <penstock/exec/random_states.h>
#include <penstock/exec/source_line.h>
#include <penstock/exec/trace.h>
#include <penstock/exec/variable.h>
#include <penstock/memory/memory.h>
#include <penstock/ops.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/operators.h>
#include <penstock/ops/registry.h>
#include <penstock/tensor/tensor.h>
#include <penstock/version.h>
