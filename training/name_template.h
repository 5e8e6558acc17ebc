#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "catena/links/observation.h"

namespace catena::training {

class Trainer;

// Returns the value of a field; nullopt when there is no such field.
using FieldLookup =
    std::function<std::optional<ObservedValue>(std::string_view field)>;

// Fills Python's format fields, {FIELD} or {FIELD:SPEC}, in a file name: SPEC
// is [0][width][.precision][d|f|e|g]. "{{" and "}}" are literal braces.
// Throws ValueError, starting with `operation`, when a field is unknown or the
// syntax is another.
std::string fill_name(std::string_view name, const FieldLookup& lookup,
                      std::string_view operation);

// Fills in the fields .updater.iteration, .updater.epoch, .updater.epoch_detail
// and .elapsed_time of a trainer.
std::string fill_name(std::string_view name, const Trainer& trainer,
                      std::string_view operation);

// Throws ValueError when fill_name would reject the name; for early checks.
void check_name(std::string_view name, std::string_view operation);

}  // namespace catena::training
