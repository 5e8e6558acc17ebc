// Whether cuDNN is installed.

#include "catena/cuda/cudnn_library.h"
#include "catena/functions/cudnn/presence_cudnn.h"

namespace catena::functions {
namespace {

bool is_present() { return cuda::cudnn_problem().empty(); }

[[maybe_unused]] const bool installed = presence_cudnn.fill(is_present);

}  // namespace
}  // namespace catena::functions
