#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "catena/autograd/function_description.h"
#include "catena/autograd/variable.h"

// Automatic casts: float32 models whose products are computed in 16 bits.
//
//   const auto scope = using_config(&Config::autocast, Dtype::kBFloat16);
//   const Variable loss = model(x, t);  // products in bfloat16
//   loss.backward();                    // gradients of parameters in float32
//
// While config().autocast is on, each function gets its inputs in the dtypes
// that a table allows (AutocastRule), by casts that are part of the graph, so
// gradients arrive in the dtype of each variable. Parameters stay in float32; a
// parameter is cast once for all its uses until its data changes or the scope
// ends, and those uses share one cast gradient. Arrays of integers, bools and
// float64 are never cast, nor are those of a function with a float64 input.
//
// A backward pass computes in the dtypes of its forward pass: the setting does
// not matter to it. Small gradients vanish in float16; an optimizer scales the
// loss against that (Optimizer::loss_scaling). Change a parameter's elements
// in place within a scope only by what bumps its version, as optimizers,
// copydata and set_data do; call bump_version() otherwise.
namespace catena {

// What a function does with inputs of float16, bfloat16 and float32.
enum class AutocastRule : uint8_t {
  kNarrow,   // all in the 16 bits of config().autocast
  kWide,     // all in float32
  kWidest,   // in float32 if their dtypes differ, else as given
  kAsGiven,  // never cast
};

// The rule of functions of this kind: kWidest for those that the table does not
// name, such as a user's own.
AutocastRule autocast_rule(FunctionKind kind);

namespace internal {

// The dtype in which autocast gives `inputs` to a function with this rule, or
// none where it leaves them alone.
std::optional<Dtype> autocast_dtype(AutocastRule rule,
                                    std::span<const VariableRef> inputs);

// x in another floating dtype, as a part of the graph. For a parameter, always
// the same variable, until its data changes.
Variable autocast(const Variable& x, Dtype dtype);

// x as functions with this rule get it, kNarrow or kWide: for code that
// compares dtypes before there is a node. x itself if autocast is off, or x is
// not of 16 or 32 bits.
Variable autocast_input(const Variable& x, AutocastRule rule);

// Whether autocast is on and may cast between these dtypes.
bool is_autocast(Dtype from, Dtype to);

// x in the dtype of `like`, where autocast may cast it; else x itself.
Variable autocast_like(const Variable& x, const Variable& like);

// Forgets this thread's copies of parameters.
void drop_autocast_copies();

// For a scope that is traced or captured: it uses no copies made before, and
// leaves none behind. The memory of its copies may be a graph's.
class [[nodiscard]] OwnAutocastCopies {
 public:
  OwnAutocastCopies() { drop_autocast_copies(); }
  ~OwnAutocastCopies() { drop_autocast_copies(); }
  OwnAutocastCopies(const OwnAutocastCopies&) = delete;
  OwnAutocastCopies& operator=(const OwnAutocastCopies&) = delete;
};

}  // namespace internal
}  // namespace catena
