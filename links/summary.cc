#include "catena/links/summary.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/autograd/class_name.h"

namespace catena::links {
namespace {

// Path, type, shape, elements.
using Row = std::array<std::string, 4>;

// A type's name without namespaces, also those of template arguments.
std::string short_name(const std::type_info& type) {
  std::string text = qualified_class_name(type);
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  for (size_t at; (at = text.find(kAnonymous)) != std::string::npos;) {
    text.erase(at, kAnonymous.size());
  }
  for (size_t end; (end = text.find("::")) != std::string::npos;) {
    size_t begin = end;
    while (begin > 0 && text[begin - 1] != '<' && text[begin - 1] != ' ') {
      --begin;
    }
    text.erase(begin, end + 2 - begin);
  }
  return text;
}

Row row_of(const std::string& path, const Parameter& param) {
  if (!param.is_initialized()) return {path, "", "uninitialized", ""};
  return {path, to_string(param.dtype()), to_string(param.shape()),
          std::to_string(param.size())};
}

}  // namespace

std::string summary(const Link& link) {
  // Traversal changes nothing.
  auto& root = const_cast<Link&>(link);
  const auto params = root.namedparams();
  std::vector<Row> rows = {{"path", "type", "shape", "elements"}};
  // Each link is followed by its own parameters, then by its children.
  auto param = params.begin();
  for (const auto& [path, each] : root.namedlinks()) {
    rows.push_back({path, short_name(typeid(*each)), "", ""});
    size_t own = each->params().size();
    for (Link* child : each->children()) own -= child->params().size();
    for (; own > 0; --own, ++param) {
      rows.push_back(row_of(param->first, param->second));
    }
  }
  rows.push_back({"total", "", "", std::to_string(root.count_params())});
  std::array<size_t, 4> widths = {};
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const auto& [path, type, shape, elements] : rows) {
    const auto padded = [](const std::string& cell, size_t width) {
      return cell + std::string(width - cell.size(), ' ');
    };
    text += padded(path, widths[0]) + "  " + padded(type, widths[1]) + "  " +
            padded(shape, widths[2]) + "  " +
            std::string(widths[3] - elements.size(), ' ') + elements;
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  const size_t open =
      params.size() - root.params(/*include_uninit=*/false).size();
  if (open > 0)
    text.insert(text.size() - 1, str(", without ", open, " uninitialized"));
  return text;
}

}  // namespace catena::links
