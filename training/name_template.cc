#include "catena/training/name_template.h"

#include <algorithm>

#include "catena/array/core/error.h"
#include "catena/training/number_text.h"
#include "catena/training/trainer.h"

namespace catena::training {
namespace {

// The subset of Python's format spec that file names need.
struct Spec {
  bool zeros = false;
  size_t width = 0;
  int precision = -1;
  char type = 0;  // d, f, e, g; 0 for the default format
};

// Removes a number of at most two digits from the front; -1 without digits.
int take_digits(std::string_view& text) {
  int number = -1;
  for (int i = 0; i < 2 && !text.empty() && text[0] >= '0' && text[0] <= '9';
       ++i) {
    number = std::max(number, 0) * 10 + (text[0] - '0');
    text.remove_prefix(1);
  }
  return number;
}

// nullopt for an invalid spec.
std::optional<Spec> parse_spec(std::string_view text) {
  Spec spec;
  spec.zeros = text.starts_with('0');
  spec.width = static_cast<size_t>(std::max(take_digits(text), 0));
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    spec.precision = take_digits(text);
    spec.type = 'g';
    if (spec.precision < 0) return std::nullopt;
  }
  if (text.size() > 1) return std::nullopt;
  if (!text.empty()) spec.type = text[0];
  const bool known =
      std::string_view("\0dfeg", 5).find(spec.type) != std::string_view::npos;
  return known ? std::optional(spec) : std::nullopt;
}

std::optional<std::string> unpadded(const ObservedValue& value,
                                    const Spec& spec) {
  const int64_t* integer = value.integer();
  const int precision = spec.precision < 0 ? 6 : spec.precision;
  switch (spec.type) {
    case 0:
      return integer != nullptr ? str(*integer) : str(value.as_double());
    case 'd':
      if (integer == nullptr || spec.precision >= 0) return std::nullopt;
      return str(*integer);
    case 'f':
      return number_text(value.as_double(), precision,
                         std::chars_format::fixed);
    case 'e':
      return number_text(value.as_double(), precision,
                         std::chars_format::scientific);
    default:
      return number_text(value.as_double(), precision);
  }
}

std::optional<std::string> format(const ObservedValue& value,
                                  const Spec& spec) {
  std::optional<std::string> text = unpadded(value, spec);
  if (!text || text->size() >= spec.width) return text;
  const size_t sign = spec.zeros && text->starts_with('-') ? 1 : 0;
  text->insert(sign, spec.width - text->size(), spec.zeros ? '0' : ' ');
  return text;
}

[[noreturn]] void fail(std::string_view operation, std::string_view name,
                       std::string_view field) {
  raise<ValueError>(operation, ": the name '", name,
                    "': expected {{, }} or a "
                    "field such as {.updater.iteration}, got '",
                    field, "'");
}

std::optional<ObservedValue> trainer_field(const Trainer* trainer,
                                           std::string_view field) {
  const Updater* updater = trainer ? &trainer->updater() : nullptr;
  if (field == ".updater.iteration") return updater ? updater->iteration() : 0;
  if (field == ".updater.epoch") return updater ? updater->epoch() : 0;
  if (field == ".updater.epoch_detail") {
    return updater ? updater->epoch_detail() : 0.0;
  }
  if (field == ".elapsed_time") return trainer ? trainer->elapsed_time() : 0.0;
  return std::nullopt;
}

}  // namespace

std::string fill_name(std::string_view name, const FieldLookup& lookup,
                      std::string_view operation) {
  std::string filled;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c != '{' && c != '}') {
      filled += c;
      continue;
    }
    if (i + 1 < name.size() && name[i + 1] == c) {
      filled += c;
      ++i;
      continue;
    }
    const size_t end = c == '{' ? name.find('}', i) : std::string_view::npos;
    if (end == std::string_view::npos) fail(operation, name, name.substr(i));
    const std::string_view whole = name.substr(i, end - i + 1);
    const std::string_view inner = name.substr(i + 1, end - i - 1);
    const size_t colon = inner.find(':');
    const std::optional<ObservedValue> value = lookup(inner.substr(0, colon));
    const std::optional<Spec> spec = parse_spec(
        colon == std::string_view::npos ? "" : inner.substr(colon + 1));
    const std::optional<std::string> text =
        value && spec ? format(*value, *spec) : std::nullopt;
    if (!text) fail(operation, name, whole);
    filled += *text;
    i = end;
  }
  return filled;
}

std::string fill_name(std::string_view name, const Trainer& trainer,
                      std::string_view operation) {
  return fill_name(
      name,
      [&](std::string_view field) { return trainer_field(&trainer, field); },
      operation);
}

void check_name(std::string_view name, std::string_view operation) {
  fill_name(
      name,
      [](std::string_view field) { return trainer_field(nullptr, field); },
      operation);
}

}  // namespace catena::training
