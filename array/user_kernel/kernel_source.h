#pragma once

#include <string>
#include <vector>

#include "catena/array/user_kernel/kernel_backend.h"
#include "catena/array/user_kernel/kernel_params.h"

// Writes the program of a user-defined kernel for the dtypes and the layout of
// one call; programs of equal calls are equal.
namespace catena::array {

// How a loop meets an argument.
struct ParamForm {
  enum class Kind : uint8_t {
    kScalar,      // a number
    kRepeated,    // the same element along the innermost axis
    kContiguous,  // neighbours along the innermost axis
    kStrided,
    kRaw,            // indexed by the kernel's text
    kRawContiguous,  // and in C order without gaps
  };
  Kind kind = Kind::kScalar;
  Dtype dtype = Dtype::kFloat64;
  int ndim = 0;  // of a raw argument

  friend bool operator==(const ParamForm&, const ParamForm&) = default;
};

// All of a call that its program depends on.
struct CallForm {
  std::vector<ParamForm> params;  // inputs, then outputs
  int ndim = 1;                   // of the loop, or of the kept axes
  int reduced_ndim = 0;           // of the reduced axes
  bool by_columns = false;        // a reduction of far apart elements
  bool small = false;             // indexes fit 32 bits
  Backend backend = Backend::kNative;

  friend bool operator==(const CallForm&, const CallForm&) = default;
};

// What the user wrote.
struct KernelText {
  std::string name = {};
  std::vector<KernelParam> inputs = {};
  std::vector<KernelParam> outputs = {};
  std::string preamble = {};
  std::vector<std::string> options = {};
  // An elementwise kernel's:
  std::string operation = {};
  std::string loop_prep = {};
  std::string after_loop = {};
  // A reduction's:
  std::string map_expr = {};
  std::string reduce_expr = {};
  std::string post_map_expr = {};
  std::string identity = {};
  std::string reduce_type = {};
};

UserKernelProgram elementwise_program(const KernelText& text,
                                      const CallForm& form);
UserKernelProgram reduction_program(const KernelText& text,
                                    const CallForm& form);

}  // namespace catena::array
