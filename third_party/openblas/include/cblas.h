// Debian keeps this header under the name of the build.
#include <openblas-openmp/cblas.h>  // IWYU pragma: export
