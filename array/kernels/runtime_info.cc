#include "catena/array/kernels/runtime_info.h"

#include <cblas.h>
#include <dnnl.h>

#include <fstream>
#include <ostream>
#include <string_view>
#include <thread>

#include "catena/array/core/backend.h"
#include "catena/array/core/device.h"
#include "catena/array/core/error.h"
#include "catena/array/core/parallel.h"
#include "catena/array/core/version.h"
#include "catena/array/kernels/kernel_slot.h"

namespace catena {
namespace {

#ifdef __OPTIMIZE__
constexpr std::string_view kOptimized = "optimized";
#else
constexpr std::string_view kOptimized = "NOT OPTIMIZED: expect it to be slow";
#endif

#ifdef __clang__
constexpr std::string_view kCompiler = "Clang ";
#else
constexpr std::string_view kCompiler = "GCC ";
#endif

// The processor name from Linux; empty elsewhere.
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown processor";
}

std::string blas() {
  std::string config = openblas_get_config();
  while (!config.empty() && config.back() == ' ') config.pop_back();
  return str(config, ", ", openblas_get_corename(), " kernels");
}

std::string onednn() {
  const dnnl_version_t& version = *dnnl_version();
  const bool openmp = version.cpu_runtime == DNNL_RUNTIME_OMP;
  return str(version.major, ".", version.minor, ".", version.patch,
             openmp ? ", OpenMP" : ", threads of its own");
}

std::string gpus() {
  const BackendTable* backend = backend_table(Backend::kCuda);
  if (backend == nullptr) return "none, CUDA is not linked";
  const int count = backend->device_count();
  if (count == 0) return "none found";
  std::string text;
  for (int i = 0; i < count; ++i) {
    const Device device = cuda_device(i);
    if (i > 0) text += "; ";
    text += device.name();
    if (backend->describe != nullptr) text += " " + backend->describe(device);
  }
  return text;
}

}  // namespace

std::string runtime_info() {
  return str("catena    ", kVersion, ", ", kOptimized, ", ", kCompiler,
             __VERSION__, "\nprocessor ", processor_name(), ", ",
             kernel_target_name(cpu_kernel_target()), " kernels in use",
             "\nthreads   ", get_num_threads(), " of ",
             std::thread::hardware_concurrency(), " cores\nBLAS      ", blas(),
             "\noneDNN    ", onednn(), "\nGPUs      ", gpus(), "\n");
}

void print_runtime_info(std::ostream& os) { os << runtime_info(); }

}  // namespace catena
