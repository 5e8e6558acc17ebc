#include "catena/training/triggers/progress_marks.h"

#include "catena/array/core/error.h"
#include "catena/training/trainer.h"

namespace catena::training::triggers {

ProgressMarks::ProgressMarks(std::string_view unit, std::string_view operation)
    : unit_(unit) {
  if (unit != "epoch" && unit != "iteration") {
    raise<ValueError>(operation,
                      ": expected the unit 'epoch' or 'iteration', got '", unit,
                      "'");
  }
}

ProgressMarks::Step ProgressMarks::advance(const Trainer& trainer) {
  const Updater& updater = trainer.updater();
  const int64_t iteration = updater.iteration();
  const double epoch_detail = updater.epoch_detail();
  Step step;
  // Chainer saves -1 for unknown values.
  if (unit_ == "epoch") {
    step = {previous_epoch_detail_, epoch_detail};
    if (step.previous < 0) step.previous = updater.previous_epoch_detail();
  } else {
    step = {static_cast<double>(previous_iteration_),
            static_cast<double>(iteration)};
    if (step.previous < 0) step.previous = step.current - 1;
  }
  previous_iteration_ = iteration;
  previous_epoch_detail_ = epoch_detail;
  return step;
}

void ProgressMarks::serialize(const Serializer& serializer) {
  serializer("previous_iteration", previous_iteration_);
  serializer("previous_epoch_detail", previous_epoch_detail_);
}

}  // namespace catena::training::triggers
