#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "catena/autograd/variable.h"
#include "catena/dataset/example.h"
#include "catena/optimizers/loss_function.h"

namespace catena::training {

// The arrays of a converted minibatch as variables without gradient, for loss
// functions: what updaters and evaluators do between converter and loss.
//
//   optimizer.update(optimizer.loss_function(),
//                    variables_of(converter(*iterator.next(), device)));
inline LossInputs variables_of(const dataset::Example& minibatch) {
  LossInputs inputs(minibatch.names());
  inputs.reserve(static_cast<size_t>(minibatch.size()));
  for (const dataset::Field& field : minibatch) {
    if (!field.is_list()) {
      inputs.add(as_variable(field.array()));
      continue;
    }
    std::vector<Variable> list;
    list.reserve(field.list().size());
    for (const Array& array : field.list()) list.push_back(as_variable(array));
    inputs.add(std::move(list));
  }
  return inputs;
}

}  // namespace catena::training
