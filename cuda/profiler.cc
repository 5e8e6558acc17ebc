#include "catena/cuda/profiler.h"

#include <cuda_profiler_api.h>
#include <nvtx3/nvToolsExt.h>

#include "catena/cuda/error.h"

namespace catena::cuda {
namespace profiler {

void start() { check(cudaProfilerStart(), "cudaProfilerStart"); }
void stop() { check(cudaProfilerStop(), "cudaProfilerStop"); }

void push_range(const std::string& name) { nvtxRangePushA(name.c_str()); }
void pop_range() noexcept { nvtxRangePop(); }

}  // namespace profiler

Profile::~Profile() { ignore(cudaProfilerStop()); }

}  // namespace catena::cuda
