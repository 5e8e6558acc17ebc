#include "catena/array/random/generator_capture.h"

#include <functional>

#include "catena/array/random/random.h"

namespace catena::array::random {
namespace {

class GeneratorsInCapture final : public CaptureParticipant {
 public:
  std::function<void()> save(Device device) const override {
    return [device, on_host = generator(native_device()).state(),
            on_device = generator(device).state()] {
      generator(native_device()).set_state(on_host);
      generator(device).set_state(on_device);
    };
  }
};

}  // namespace

std::unique_ptr<CaptureParticipant> generators_in_capture() {
  return std::make_unique<GeneratorsInCapture>();
}

}  // namespace catena::array::random
