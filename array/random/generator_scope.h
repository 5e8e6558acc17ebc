#pragma once

#include "catena/array/random/random.h"

namespace catena::array::random {

// Until destroyed, generator(device) is a copy of the device's generator in
// this thread: what is drawn here changes nothing for other threads, nor for
// this one afterwards.
class [[nodiscard]] GeneratorScope {
 public:
  // Throws DeviceError when there is no such device.
  explicit GeneratorScope(Device device);
  ~GeneratorScope();
  GeneratorScope(const GeneratorScope&) = delete;
  GeneratorScope& operator=(const GeneratorScope&) = delete;

  // The copy in the innermost scope of this thread for a device; null if there
  // is none.
  static Generator* find(Device device);

 private:
  Generator copy_;
  GeneratorScope* outer_;
};

}  // namespace catena::array::random
