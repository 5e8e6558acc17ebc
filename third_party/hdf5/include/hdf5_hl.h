// Debian keeps this header under the name of the build.
#include <hdf5/serial/hdf5_hl.h>  // IWYU pragma: export
