// Debian keeps this header under the name of the build.
#include <hdf5/serial/hdf5.h>  // IWYU pragma: export
