#include "catena/examples/support/resume.h"

#include "catena/serializers/npz.h"
#include "catena/training/extensions/snapshot.h"

namespace catena::examples {

void resume(training::Trainer& trainer, const std::string& file) {
  if (file.empty()) return;
  serializers::load_npz(
      file == "latest" ? training::extensions::latest_snapshot(trainer.out())
                       : file,
      trainer);
}

}  // namespace catena::examples
