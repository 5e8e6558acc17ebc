#include "catena/autograd/unfilled_parameters.h"

namespace catena {
namespace {

thread_local bool is_on = false;

}  // namespace

UnfilledParameters::UnfilledParameters() : previous_(is_on) { is_on = true; }

UnfilledParameters::~UnfilledParameters() { is_on = previous_; }

bool UnfilledParameters::is_active() { return is_on; }

}  // namespace catena
