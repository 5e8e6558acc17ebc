#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "catena/array/core/dtype.h"
#include "catena/array/core/named_fields_only.h"
#include "catena/array/core/shape.h"

// The options of execution_plan.h, and what it tells of a plan's steps.
namespace catena::functions {

// How a plan notices that weights have changed in place. On a GPU, kAll and
// kSampled fold batch normalization into them in each run.
enum class PlanCheck : uint8_t {
  kAll,      // reads all of them in each run
  kSampled,  // reads one cache line in 16, which finds every update of all
  kNone,     // never: call refresh() after a change
};

struct ExecutionPlanOptions {
  NamedFieldsOnly keywords = {};
  // The dtype in which convolutions and linear functions of float32 arrays
  // compute on the CPU: float32, or bfloat16 on processors with instructions
  // for it (products of values rounded to 8 bits, sums in float32).
  Dtype precision = Dtype::kFloat32;
  PlanCheck weights = PlanCheck::kAll;
  // Whether a new plan is compared with a second call of the function, with
  // other values.
  bool check_trace = true;
  // Plans to keep for different shapes; the least recently used is dropped.
  size_t max_plans = 8;
  // Whether to measure the time of each step on the CPU; see steps().
  bool measure_steps = false;
};

// A step of a plan, for those who ask where the time goes.
struct PlanStep {
  std::string functions;  // "convolution_2d + fixed_batch_normalization + relu"
  // "oneDNN", "Winograd", "elementwise", "reorder" or "call"; on a GPU "fused"
  // or "call".
  std::string kind;
  Shape shape;         // of the result
  double seconds = 0;  // of all runs, with measure_steps
};

}  // namespace catena::functions
