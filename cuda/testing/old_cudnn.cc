// Stands for cuDNN 8.9.2, which is too old.

#include <cstddef>

extern "C" size_t cudnnGetVersion() { return 8902; }
