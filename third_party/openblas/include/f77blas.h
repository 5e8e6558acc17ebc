// Debian keeps this header under the name of the build.
#include <openblas-openmp/f77blas.h>  // IWYU pragma: export
