#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catena/array/dtype.h"

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
  char letter = '\0';             // the placeholder, or 0 where dtype is given
  Dtype dtype = Dtype::kFloat64;  // when there is no letter

  friend bool operator==(const KernelParam&, const KernelParam&) = default;
};

// The parameters of `text`, which may be empty. ValueError, naming `kernel` and
// `list` ("in_params") and quoting the parameter, when one is not of that form,
// when a name is no C identifier, is reserved (i, n, a leading underscore) or
// appears twice, or when a dtype does not exist.
std::vector<KernelParam> parse_kernel_params(std::string_view text,
                                             std::string_view kernel,
                                             std::string_view list);

// ValueError naming `kernel` when a name of `outputs` is in `inputs` too, or a
// placeholder letter of either is the name of a parameter.
void check_distinct(const std::vector<KernelParam>& inputs,
                    const std::vector<KernelParam>& outputs,
                    std::string_view kernel);

// Whether the text is a name in C.
bool is_identifier(std::string_view text);

// The parameters as text that parses to the same.
std::string to_string(const std::vector<KernelParam>& params);

}  // namespace catena::array
