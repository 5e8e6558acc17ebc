#include "catena/array/random/generator_scope.h"

namespace catena::array::random {
namespace {

constinit thread_local GeneratorScope* innermost = nullptr;

}  // namespace

GeneratorScope::GeneratorScope(Device device)
    : copy_(device), outer_(innermost) {
  copy_.set_state(generator(device).state());
  innermost = this;
}

GeneratorScope::~GeneratorScope() { innermost = outer_; }

Generator* GeneratorScope::find(Device device) {
  for (GeneratorScope* scope = innermost; scope != nullptr;
       scope = scope->outer_) {
    if (scope->copy_.device() == device) return &scope->copy_;
  }
  return nullptr;
}

}  // namespace catena::array::random
