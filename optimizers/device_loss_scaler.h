#pragma once

#include <cstdint>
#include <memory>

#include "catena/array/array.h"
#include "catena/optimizers/loss_scaler.h"
#include "catena/optimizers/update_batch.h"

namespace catena {

// A LossScaler on a GPU, which decides there whether a step takes place, so
// that the host need not wait for the gradients and a step can be captured in a
// graph. What the host asks for waits for the device, if there was a step
// since.
class DeviceLossScaler : public std::enable_shared_from_this<DeviceLossScaler> {
 public:
  // Goes on from the scaler's state.
  DeviceLossScaler(const LossScaler& scaler, Device device);

  Device device() const { return state_.device(); }
  // For the device: the scale of the next step's loss, a float64 scalar.
  const Array& scale() const { return scale_; }
  // What this step's gradients are multiplied by, 1 / scale; 0 if it is
  // skipped.
  const Array& rate() const { return rate_; }
  // Lets updates take place unless the step is skipped. Recipes get the number
  // of skipped steps.
  std::shared_ptr<const optimizers::UpdateGate> gate() const { return gate_; }

  // Decides on a step from the sum over all gradients, a float64 scalar, and
  // adjusts the scale for the next one.
  void decide(const Array& sum);

  // For the host.
  double scale_value() const { return values()[0]; }
  bool has_overflowed() const { return values()[1] != 0; }
  bool was_skipped() const { return values()[2] == 0; }
  int64_t skipped() const { return static_cast<int64_t>(values()[3]); }

 private:
  struct Values {
    double of[4];
    double operator[](int i) const { return of[i]; }
  };
  const Values& values() const;

  LossScaler scaler_;
  // (4, 2), float64; the scalars are in the first column, so that they are
  // aligned for the kernels.
  Array state_;
  Array scale_;
  Array has_overflowed_;
  Array rate_;
  Array skipped_;
  std::shared_ptr<const optimizers::UpdateGate> gate_;
  mutable Values values_;
  mutable bool has_changed_ = false;
};

}  // namespace catena
