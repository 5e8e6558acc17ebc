#pragma once

#include <string_view>

namespace catena {

// catena's version, as in MODULE.bazel.
inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace catena
