#pragma once

#include <string>
#include <vector>

#include "catena/array/user_kernel/kernel_backend.h"
#include "catena/array/user_kernel/kernel_params.h"

// Generates the program of a user-defined kernel for the dtypes and layout of a
// call. Calls of equal form give equal programs.
namespace catena::array {

// How a loop accesses an argument.
struct ParamForm {
  enum class Kind : uint8_t {
    kScalar,      // a number
    kRepeated,    // the same element along the innermost axis
    kContiguous,  // adjacent elements along the innermost axis
    kStrided,
    kRaw,            // indexed by the kernel's code
    kRawContiguous,  // raw and C-contiguous
  };
  Kind kind = Kind::kScalar;
  Dtype dtype = Dtype::kFloat64;
  int ndim = 0;  // of a raw argument

  friend bool operator==(const ParamForm&, const ParamForm&) = default;
};

// Everything about a call on which its program depends.
struct CallForm {
  std::vector<ParamForm> params;  // inputs, then outputs
  int ndim = 1;                   // of the loop, or of the kept axes
  int reduced_ndim = 0;           // of the reduced axes
  bool by_columns = false;        // see UserKernelArgs
  bool small = false;             // indices fit 32 bits
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
  // Elementwise kernels only:
  std::string operation = {};
  std::string loop_prep = {};
  std::string after_loop = {};
  // Reductions only:
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
