#include "catena/optimizers/loss_function.h"

#include "catena/array/core/error.h"

namespace catena {

void LossInputs::add(Variable variable) {
  variables_.push_back(std::move(variable));
}

void LossInputs::add(std::vector<Variable> list) {
  variables_.emplace_back();
  lists_.resize(variables_.size());
  lists_.back() = std::move(list);
}

void LossInputs::check(size_t field, bool as_list) const {
  if (field >= size()) {
    raise<IndexError>("loss function: expected one of ", size(),
                      " fields of the minibatch, got field ", field);
  }
  if (is_list(field) == as_list) return;
  const std::string label = names_ == nullptr
                                ? str("field ", field)
                                : str("field '", (*names_)[field], "'");
  if (as_list) {
    const Variable& variable = variables_[field];
    raise<ValueError>(
        "loss function: expected a list of arrays in ", label,
        ", one for each example, got one array",
        variable.defined() ? str(", ", variable.label()) : std::string(),
        "; choose a converter that keeps lists, such as list_examples");
  }
  raise<ValueError>("loss function: expected one array in ", label,
                    ", got a list of ", lists_[field]->size(),
                    " arrays; choose a converter that stacks or pads them, or "
                    "take the field as const std::vector<Variable>&");
}

const Variable& LossInputs::operator[](size_t field) const& {
  check(field, /*as_list=*/false);
  return variables_[field];
}

const std::vector<Variable>& LossInputs::list(size_t field) const& {
  check(field, /*as_list=*/true);
  return *lists_[field];
}

LossInputs::operator std::span<const Variable>() const {
  for (size_t field = 0; field < lists_.size(); ++field) {
    check(field, /*as_list=*/false);
  }
  return variables_;
}

namespace internal {

void throw_no_loss(size_t count, std::string_view what) {
  if (!what.empty()) {
    raise<ValueError>("Optimizer: the target, called with ", count,
                      " variables, ", what);
  }
  raise<ValueError>("Optimizer: the target cannot be called with ", count,
                    " variables; pass your own loss function");
}

}  // namespace internal
}  // namespace catena
