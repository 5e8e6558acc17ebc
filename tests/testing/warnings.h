#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/core/source_location.h"

// What catena warns of on standard error (array/core/warn_once.h), as lines
// that begin with "warning: ". A warning comes once in a process, so what was
// warned of before does not appear again.
namespace catena::testing {

// The warnings that are printed while `body` runs, without "warning: ". What
// else it prints on standard error comes afterwards; an exception goes through.
std::vector<std::string> warnings_of(const std::function<void()>& body);

// Runs `body`; a non-fatal failure at the caller's line unless it warns with a
// text that contains `expected`:
//
//   assert_warns("my_link is experimental", [&] { MyLink link; });
void assert_warns(std::string_view expected, const std::function<void()>& body,
                  const SourceLocation& where = SourceLocation::current());

}  // namespace catena::testing
