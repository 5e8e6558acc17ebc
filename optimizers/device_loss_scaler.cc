#include "catena/optimizers/device_loss_scaler.h"

#include "catena/array/core/capture.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/optimizers/loss_scale_ops.h"

namespace catena {
namespace {

constexpr int64_t kValues = 4;

}  // namespace

DeviceLossScaler::DeviceLossScaler(const LossScaler& scaler, Device device)
    : scaler_(scaler),
      values_{{scaler.scale(), scaler.has_overflowed() ? 1.0 : 0.0,
               1 / scaler.scale(), 0}} {
  if (current_capture() != nullptr) {
    raise<ValueError>(
        "loss_scaling: expected a step before the one that is captured, which "
        "brings the scale to ",
        device, ", got none");
  }
  const Array on_host =
      array::zeros({kValues, 2}, Dtype::kFloat64, native_device());
  for (int i = 0; i < kValues; ++i) {
    on_host.data<double>()[i * 2] = values_[i];
  }
  state_ = on_host.to_device(device);
  scale_ = state_[0][0];
  has_overflowed_ = state_[1][0];
  rate_ = state_[2][0];
  skipped_ = state_[3][0];
  gate_ = std::make_shared<optimizers::UpdateGate>(
      optimizers::UpdateGate{rate_, skipped_});
}

void DeviceLossScaler::decide(const Array& sum) {
  if (Capture* capture = current_capture()) {
    capture->on_launch(
        [self = shared_from_this()] { self->has_changed_ = true; });
  } else {
    has_changed_ = true;
  }
  optimizers::UpdateBatch batch;
  batch.add(optimizers::LossScaleOp{scaler_.growth(), LossScaler::kMaxScale,
                                    scaler_.is_dynamic()},
            {sum}, {scale_, has_overflowed_, rate_, skipped_});
  batch.run();
}

const DeviceLossScaler::Values& DeviceLossScaler::values() const {
  if (!has_changed_) return values_;
  const Array on_host = state_.to_device(native_device());
  for (int i = 0; i < kValues; ++i) {
    values_.of[i] = on_host.data<double>()[i * 2];
  }
  has_changed_ = false;
  return values_;
}

}  // namespace catena
