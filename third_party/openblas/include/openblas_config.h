// Debian keeps this header under the name of the build.
#include <openblas-openmp/openblas_config.h>  // IWYU pragma: export
