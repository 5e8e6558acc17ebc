// Debian keeps this header in a folder of its own.
#include <mpi/mpi.h>  // IWYU pragma: export
