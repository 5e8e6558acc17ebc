#include "catena/training/extensions/micro_average.h"

#include <utility>

#include "catena/training/trainer.h"

namespace catena::training::extensions {

MicroAverage::MicroAverage(std::string numerator_key,
                           std::string denominator_key, std::string result_key,
                           AnyTrigger trigger)
    : numerator_key_(std::move(numerator_key)),
      denominator_key_(std::move(denominator_key)),
      result_key_(std::move(result_key)),
      trigger_(std::move(trigger)) {}

void MicroAverage::operator()(Trainer& trainer) {
  Observation& observation = trainer.observation();
  const ObservedValue* numerator = observation.find(numerator_key_);
  const ObservedValue* denominator = observation.find(denominator_key_);
  if (numerator == nullptr || denominator == nullptr) return;
  numerator_ += numerator->as_double();
  denominator_ += denominator->as_double();
  if (!trigger_(trainer)) return;
  observation.set(result_key_, std::exchange(numerator_, 0) /
                                   std::exchange(denominator_, 0));
}

void MicroAverage::serialize(const Serializer& serializer) {
  serializer("_numerator", numerator_);
  serializer("_denominator", denominator_);
  trigger_.serialize(serializer["_trigger"]);
}

}  // namespace catena::training::extensions
