#pragma once

namespace catena {

// The value of an environment variable of catena's, such as CATENA_DEBUG; null
// if it is unset or empty. Then the variable of Chainer or CuPy that means the
// same counts, such as CHAINER_DEBUG.
const char* environment(const char* name);

// Warns, once for each, of variables that begin with CHAINER_ or CUPY_ but have
// no meaning here.
void warn_of_unknown_variables();

}  // namespace catena
