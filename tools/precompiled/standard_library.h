// The headers of the C++ library that most of our sources include or inherit.
// Precompiled for all libraries (precompiled_header.bzl), and only then
// included in them: sources include what they use as if this file did not
// exist, which builds with Clang, nvcc or sanitizers check. A header that few
// use costs all others more than it saves.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>
