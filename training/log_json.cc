#include "catena/training/log_json.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"

namespace catena::training {
namespace {

using nlohmann::ordered_json;

constexpr size_t kMaxBytes = size_t{1} << 30;

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return ordered_json(value).dump();
}

std::string value_text(const ObservedValue& value) {
  if (const int64_t* integer = value.integer()) return std::to_string(*integer);
  return number_text(value.as_double());
}

std::string string_text(std::string_view text) {
  // Like Python: escaped to ASCII; invalid UTF-8 is replaced.
  return ordered_json(text).dump(-1, ' ', true,
                                 ordered_json::error_handler_t::replace);
}

// The text with NaN, Infinity and -Infinity as marked strings.
std::string marked(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      result += c;
      if (c == '\\' && i + 1 < text.size()) result += text[++i];
      in_string = c != '"';
      continue;
    }
    in_string = c == '"';
    bool found = false;
    for (const std::string_view word : {"NaN", "Infinity", "-Infinity"}) {
      if (text.substr(i).starts_with(word)) {
        result += str("\"\\u0001", word, "\"");
        i += word.size() - 1;
        found = true;
        break;
      }
    }
    if (!found) result += c;
  }
  return result;
}

// Deep nesting is rejected before parsing, to limit recursion.
ordered_json parse(std::string_view text, int max_depth) {
  if (text.size() > kMaxBytes) {
    raise<IoError>("JSON: expected at most ", kMaxBytes, " bytes, got ",
                   text.size());
  }
  bool too_deep = false;
  const auto check_depth = [&](int depth, ordered_json::parse_event_t event,
                               ordered_json&) {
    const bool opens = event == ordered_json::parse_event_t::object_start ||
                       event == ordered_json::parse_event_t::array_start;
    too_deep = too_deep || (opens && depth >= max_depth);
    return !too_deep;
  };
  ordered_json json;
  try {
    json = ordered_json::parse(marked(text), check_depth);
  } catch (const ordered_json::exception& error) {
    raise<IoError>("JSON: ", error.what(), ", got ", array::quote(text));
  }
  if (too_deep)
    raise<IoError>("JSON: expected less nesting, got ", array::quote(text));
  return json;
}

[[noreturn]] void fail(std::string_view expected, const ordered_json& got) {
  raise<IoError>("JSON: expected ", expected, ", got ",
                 array::quote(got.dump(
                     -1, ' ', true, ordered_json::error_handler_t::replace)));
}

ObservedValue number_from(const ordered_json& json) {
  if (json.is_number_integer()) return json.get<int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) {
    const auto& text = json.get_ref<const std::string&>();
    const double inf = std::numeric_limits<double>::infinity();
    if (text == "\x01NaN") return std::nan("");
    if (text == "\x01Infinity") return inf;
    if (text == "\x01-Infinity") return -inf;
  }
  fail("a number", json);
}

const ordered_json& expect_list(const ordered_json& json) {
  if (!json.is_array()) fail("a list", json);
  return json;
}

}  // namespace

std::string log_entry_to_json(const Observation& entry, int indent) {
  const std::string line =
      indent > 0 ? "\n" + std::string(2 * indent, ' ') : std::string();
  std::string text = "{";
  const char* separator = "";
  for (const auto& [name, value] : entry) {
    text += separator + line + string_text(name) + ": " + value_text(value);
    separator = indent > 0 ? "," : ", ";
  }
  if (indent > 0 && !entry.empty()) text += "\n" + std::string(indent, ' ');
  return text + "}";
}

std::string log_to_json(std::span<const Observation> log, int indent) {
  const std::string line =
      indent > 0 ? "\n" + std::string(indent, ' ') : std::string();
  std::string text = "[";
  const char* separator = "";
  for (const Observation& entry : log) {
    text += separator + line + log_entry_to_json(entry, indent);
    separator = indent > 0 ? "," : ", ";
  }
  if (indent > 0 && !log.empty()) text += "\n";
  return text + "]";
}

std::vector<Observation> log_from_json(std::string_view text) {
  std::vector<Observation> log;
  const ordered_json json = parse(text, 2);
  for (const ordered_json& entry : expect_list(json)) {
    if (!entry.is_object()) fail("an object of numbers", entry);
    Observation observation;
    for (const auto& [name, value] : entry.items()) {
      observation.set(name, number_from(value));
    }
    log.push_back(std::move(observation));
  }
  return log;
}

std::string names_to_json(const std::vector<std::string>& names) {
  std::string text = "[";
  const char* separator = "";
  for (const std::string& name : names) {
    text += separator + string_text(name);
    separator = ", ";
  }
  return text + "]";
}

std::vector<std::string> names_from_json(std::string_view text) {
  std::vector<std::string> names;
  const ordered_json json = parse(text, 1);
  for (const ordered_json& name : expect_list(json)) {
    if (!name.is_string()) fail("a name", name);
    names.push_back(name.get<std::string>());
  }
  return names;
}

std::string curves_to_json(const Curves& curves) {
  std::string text = "{";
  const char* separator = "";
  for (const auto& [name, points] : curves) {
    text += separator + string_text(name) + ": [";
    const char* between = "";
    for (const auto& [x, y] : points) {
      text += str(between, "[", number_text(x), ", ", number_text(y), "]");
      between = ", ";
    }
    text += "]";
    separator = ", ";
  }
  return text + "}";
}

Curves curves_from_json(std::string_view text) {
  Curves curves;
  const ordered_json json = parse(text, 3);
  if (!json.is_object()) fail("an object of lists", json);
  for (const auto& [name, points] : json.items()) {
    auto& curve = curves[name];
    for (const ordered_json& point : expect_list(points)) {
      if (!point.is_array() || point.size() != 2) fail("a pair", point);
      curve.emplace_back(number_from(point[0]).as_double(),
                         number_from(point[1]).as_double());
    }
  }
  return curves;
}

}  // namespace catena::training
