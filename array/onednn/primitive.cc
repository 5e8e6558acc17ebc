#include "catena/array/onednn/primitive.h"

namespace catena::cpu::onednn {

const dnnl::engine& engine() {
  // Never destroyed: oneDNN's own static variables may be destroyed first.
  static const dnnl::engine& engine =
      *new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

}  // namespace catena::cpu::onednn
