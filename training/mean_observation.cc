#include "catena/training/mean_observation.h"

#include <string_view>

#include "catena/array/array.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/links/reporter.h"

namespace catena::training {
namespace {

// The mean of the values of a name, which some parts may lack.
ObservedValue mean_of(const std::deque<Observation>& parts,
                      std::string_view name) {
  double weights = 0;
  double sum = 0;
  Array on_device;
  const ObservedValue* last = nullptr;
  for (const Observation& part : parts) {
    const ObservedValue* const value = part.find(name);
    if (value == nullptr) continue;
    last = value;
    if (!value->is_scalar()) continue;
    weights += value->weight();
    if (const Array array = value->array(); array.defined()) {
      const Array term = array.reshape(Shape()) * value->weight();
      on_device = on_device.defined() ? on_device + term : term;
    } else {
      sum += value->as_double() * value->weight();
    }
  }
  if (!last->is_scalar() || weights == 0) return *last;
  return weighted(on_device.defined()
                      ? ObservedValue((on_device + sum) / weights)
                      : ObservedValue(sum / weights),
                  weights);
}

}  // namespace

Variable MeanObservation::collect(const std::function<Variable()>& function) {
  if (find_current_reporter() == nullptr) return function();
  const auto scope = report_scope(parts_.emplace_back());
  return function();
}

void MeanObservation::report() const {
  Observation means;
  for (const Observation& part : parts_) {
    for (const auto& [name, value] : part) {
      if (!means.contains(name)) means.set(name, mean_of(parts_, name));
    }
  }
  if (!means.empty()) catena::report(means);
}

}  // namespace catena::training
