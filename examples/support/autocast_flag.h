#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "catena/autograd/config.h"

namespace catena::examples {

// A flag for StandardUpdaterOptions::autocast, "off", "float16" or "bfloat16":
//
//   ABSL_FLAG(examples::AutocastFlag, autocast, {}, "products in ...");
struct AutocastFlag {
  AutocastDtype dtype = {};
};

bool AbslParseFlag(absl::string_view text, AutocastFlag* flag,
                   std::string* error);
std::string AbslUnparseFlag(AutocastFlag flag);

}  // namespace catena::examples
