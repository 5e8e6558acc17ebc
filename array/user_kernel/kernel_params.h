#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catena/array/core/dtype.h"

// The parameter lists of user-defined kernels, in CuPy's grammar:
//
//   list      = [ parameter { "," parameter } ]
//   parameter = { "raw" } type name
//   type      = a NumPy dtype name ("float32"), or one letter: a placeholder
//               that stands for the same dtype wherever it appears
namespace catena::array {

struct KernelParam {
  std::string name;
  bool raw = false;
  char letter = '\0';             // the placeholder, or 0 if dtype is given
  Dtype dtype = Dtype::kFloat64;  // if there is no letter

  friend bool operator==(const KernelParam&, const KernelParam&) = default;
};

// Parses the parameters in `text`, which may be empty. Throws ValueError,
// naming `kernel` and `list` ("in_params") and quoting the parameter, for a
// syntax error, a name that is not a C identifier, is reserved (i, n, a leading
// underscore) or is a duplicate, and for an unknown dtype.
std::vector<KernelParam> parse_kernel_params(std::string_view text,
                                             std::string_view kernel,
                                             std::string_view list);

// Throws ValueError naming `kernel` when a name is in both `inputs` and
// `outputs`, or a placeholder letter is the name of a parameter.
void check_distinct(const std::vector<KernelParam>& inputs,
                    const std::vector<KernelParam>& outputs,
                    std::string_view kernel);

// Whether the text is a C identifier.
bool is_identifier(std::string_view text);

// Formats the parameters; the inverse of parse_kernel_params.
std::string to_string(const std::vector<KernelParam>& params);

}  // namespace catena::array
