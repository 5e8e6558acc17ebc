#include "catena/cuda/profiler.h"

#include <cuda_profiler_api.h>
#include <nvtx3/nvToolsExt.h>

#include "catena/cuda/error.h"

namespace catena::cuda {
namespace profiler {

void start() { check(cudaProfilerStart(), "cudaProfilerStart"); }
void stop() { check(cudaProfilerStop(), "cudaProfilerStop"); }

}  // namespace profiler

Profile::~Profile() { ignore(cudaProfilerStop()); }

ProfileRange::ProfileRange(const std::string& name) {
  nvtxRangePushA(name.c_str());
}

ProfileRange::~ProfileRange() { nvtxRangePop(); }

}  // namespace catena::cuda
