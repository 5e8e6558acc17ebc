#include "catena/array/cpu/onednn/primitive.h"

namespace catena::cpu::onednn {

const dnnl::engine& engine() {
  // Never destroyed: the library's own statics may be gone before ours.
  static const dnnl::engine& engine =
      *new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

}  // namespace catena::cpu::onednn
