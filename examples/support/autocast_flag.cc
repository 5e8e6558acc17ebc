#include "catena/examples/support/autocast_flag.h"

#include <sstream>

namespace catena::examples {

bool AbslParseFlag(absl::string_view text, AutocastFlag* flag,
                   std::string* error) {
  for (const AutocastDtype dtype :
       {AutocastDtype(), AutocastDtype(Dtype::kFloat16),
        AutocastDtype(Dtype::kBFloat16)}) {
    flag->dtype = dtype;
    if (AbslUnparseFlag(*flag) == text) return true;
  }
  *error = "expected off, float16 or bfloat16";
  return false;
}

std::string AbslUnparseFlag(AutocastFlag flag) {
  std::ostringstream text;
  text << flag.dtype;
  return text.str();
}

}  // namespace catena::examples
