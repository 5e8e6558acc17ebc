#pragma once

#include <string>

#include "catena/training/trainer.h"

namespace catena::examples {

// Continues from a snapshot: `file`, or if that is "latest", the latest one in
// the trainer's folder. Does nothing if `file` is empty. Throws IoError when
// there is no such file.
void resume(training::Trainer& trainer, const std::string& file);

}  // namespace catena::examples
