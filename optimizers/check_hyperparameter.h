#pragma once

#include <string_view>

namespace catena::optimizers {

// Throw ValueError naming optimizer and hyperparameter unless the value is
// finite; finite and nonnegative; finite and positive; or in [0, 1).
void check_finite(std::string_view optimizer, std::string_view name,
                  double value);
// Checks a learning rate: it must be finite, and a negative one, with which
// steps make the loss larger, gives a warning, once.
void check_learning_rate(std::string_view optimizer, std::string_view name,
                         double value);
void check_not_negative(std::string_view optimizer, std::string_view name,
                        double value);
void check_positive(std::string_view optimizer, std::string_view name,
                    double value);
void check_decay(std::string_view optimizer, std::string_view name,
                 double value);

}  // namespace catena::optimizers
