#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace catena::function_hooks {

// Formats `value` with two decimals and a unit: "1.25ms".
std::string text_with_unit(double value, std::string_view unit);

// Writes rows as a table with right-aligned columns, two spaces apart.
void print_table(std::ostream& os,
                 const std::vector<std::vector<std::string>>& rows);

}  // namespace catena::function_hooks
