#include "catena/optimizers/check_hyperparameter.h"

#include <cmath>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/core/warn_once.h"

namespace catena::optimizers {
namespace {

void check(bool ok, std::string_view optimizer, std::string_view name,
           std::string_view domain, double value) {
  if (ok) return;
  raise<ValueError>(optimizer, ": expected ", name, " ", domain, ", got ",
                    value);
}

}  // namespace

void check_finite(std::string_view optimizer, std::string_view name,
                  double value) {
  check(std::isfinite(value), optimizer, name, "to be finite", value);
}

void check_learning_rate(std::string_view optimizer, std::string_view name,
                         double value) {
  check_finite(optimizer, name, value);
  if (value >= 0) return;
  std::string text = str(optimizer, ": expected ", name, " of at least 0, got ",
                         value, ": steps go uphill and make the loss larger");
  warn_once(text, [&] { return text; });
}

void check_not_negative(std::string_view optimizer, std::string_view name,
                        double value) {
  check(std::isfinite(value) && value >= 0, optimizer, name,
        "to be finite and at least 0", value);
}

void check_positive(std::string_view optimizer, std::string_view name,
                    double value) {
  check(std::isfinite(value) && value > 0, optimizer, name,
        "to be finite and above 0", value);
}

void check_decay(std::string_view optimizer, std::string_view name,
                 double value) {
  check(value >= 0 && value < 1, optimizer, name, "in [0, 1)", value);
}

}  // namespace catena::optimizers
