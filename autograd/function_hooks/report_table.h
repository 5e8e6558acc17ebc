#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace catena::function_hooks {

// `value` with two digits after the point and a unit: "1.25ms".
std::string text_with_unit(double value, std::string_view unit);

// Writes rows as a table: columns are as wide as they have to be, two blanks
// apart, their entries at the right.
void print_table(std::ostream& os,
                 const std::vector<std::vector<std::string>>& rows);

}  // namespace catena::function_hooks
