#pragma once

#include <string_view>

namespace catena {

// Loads a shared object from its bytes and returns its handle, as dlopen() does
// with `flags`; each call loads one more. In memory or, where the system
// forbids that, through a temporary file that is gone at the end. Throws
// IoError, beginning with `name`, when there is no place for the bytes or they
// are no code for this machine.
void* load_shared_object(std::string_view name, std::string_view bytes,
                         int flags);

}  // namespace catena
