#include "catena/autograd/function_hooks/report_table.h"

#include <algorithm>
#include <charconv>
#include <ostream>

namespace catena::function_hooks {

std::string text_with_unit(double value, std::string_view unit) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof(text), value,
                                 std::chars_format::fixed, 2);
  return std::string(text, end.ptr).append(unit);
}

void print_table(std::ostream& os,
                 const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      os << (i == 0 ? "" : "  ") << std::string(widths[i] - row[i].size(), ' ')
         << row[i];
    }
    os << '\n';
  }
  os.flush();
}

}  // namespace catena::function_hooks
