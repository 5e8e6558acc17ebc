#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/links/observation.h"

// The JSON of logs and snapshots, as Python writes it, including NaN, Infinity
// and -Infinity, which are not standard JSON. Reading throws IoError for
// invalid, deeply nested or very large texts.
namespace catena::training {

// A list of objects of numbers. With indent > 0, one number per line; otherwise
// everything is on one line.
std::string log_to_json(std::span<const Observation> log, int indent);
std::vector<Observation> log_from_json(std::string_view text);

// One entry, formatted as in the list.
std::string log_entry_to_json(const Observation& entry, int indent);

// A list of names.
std::string names_to_json(const std::vector<std::string>& names);
std::vector<std::string> names_from_json(std::string_view text);

// Lists of points by name: {"main/loss": [[1, 0.5], [2, 0.25]]}.
using Curves =
    std::map<std::string, std::vector<std::pair<double, double>>, std::less<>>;
std::string curves_to_json(const Curves& curves);
Curves curves_from_json(std::string_view text);

}  // namespace catena::training
