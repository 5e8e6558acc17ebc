#include "nvrtc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "catena/cuda/emulation/kernel_scan.h"
#include "catena/cuda/emulation/runtime.h"
#include "cuda_runtime.h"

namespace catena::cuda::emulation {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Compiled {
  nvrtcResult status;
  std::string log;
  std::string code;
  std::vector<std::string> lowered_names;
};

Compiled compile(const std::string& source,
                 const std::vector<std::string>& expressions = {},
                 const std::vector<const char*>& options = {}) {
  nvrtcProgram program = nullptr;
  EXPECT_EQ(nvrtcCreateProgram(&program, source.c_str(), "user.cu", 0, nullptr,
                               nullptr),
            NVRTC_SUCCESS);
  for (const std::string& expression : expressions) {
    EXPECT_EQ(nvrtcAddNameExpression(program, expression.c_str()),
              NVRTC_SUCCESS);
  }
  Compiled result;
  result.status = nvrtcCompileProgram(program, static_cast<int>(options.size()),
                                      options.data());
  size_t size = 0;
  EXPECT_EQ(nvrtcGetProgramLogSize(program, &size), NVRTC_SUCCESS);
  result.log.resize(size);
  EXPECT_EQ(nvrtcGetProgramLog(program, result.log.data()), NVRTC_SUCCESS);
  result.log.pop_back();
  if (result.status == NVRTC_SUCCESS) {
    EXPECT_EQ(nvrtcGetCUBINSize(program, &size), NVRTC_SUCCESS);
    result.code.resize(size);
    EXPECT_EQ(nvrtcGetCUBIN(program, result.code.data()), NVRTC_SUCCESS);
    for (const std::string& expression : expressions) {
      const char* name = nullptr;
      EXPECT_EQ(nvrtcGetLoweredName(program, expression.c_str(), &name),
                NVRTC_SUCCESS);
      result.lowered_names.emplace_back(name);
    }
  }
  EXPECT_EQ(nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
  return result;
}

// The kernel of that name, for cudaLaunchKernel.
const void* load(const Compiled& compiled, const std::string& name) {
  EXPECT_EQ(compiled.status, NVRTC_SUCCESS) << compiled.log;
  if (compiled.status != NVRTC_SUCCESS) return nullptr;
  cudaLibrary_t library = nullptr;
  EXPECT_EQ(cudaLibraryLoadData(&library, compiled.code.data(), nullptr,
                                nullptr, 0, nullptr, nullptr, 0),
            cudaSuccess);
  cudaKernel_t kernel = nullptr;
  EXPECT_EQ(cudaLibraryGetKernel(&kernel, library, name.c_str()), cudaSuccess);
  return kernel;
}

// Memory of the device.
template <class T>
class Data {
 public:
  explicit Data(const std::vector<T>& values) : size_(values.size()) {
    EXPECT_EQ(cudaMalloc(&data_, size_ * sizeof(T)), cudaSuccess);
    EXPECT_EQ(
        cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyDefault),
        cudaSuccess);
  }
  ~Data() { EXPECT_EQ(cudaFree(data_), cudaSuccess); }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;

  T** address() { return &data_; }
  std::vector<T> values() const {
    std::vector<T> values(size_);
    EXPECT_EQ(
        cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDefault),
        cudaSuccess);
    return values;
  }

 private:
  T* data_ = nullptr;
  size_t size_;
};

template <class... Params>
void launch(const void* kernel, int blocks, int threads, Params*... params) {
  void* addresses[] = {params...};
  EXPECT_EQ(cudaLaunchKernel(kernel, dim3(static_cast<unsigned>(blocks)),
                             dim3(static_cast<unsigned>(threads)), addresses, 0,
                             nullptr),
            cudaSuccess);
}

TEST(NvrtcTest, RunsAnElementwiseKernel) {
  const Compiled compiled = compile(R"(
extern "C" __global__ void add(const float* x, char one, double* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = sqrt(x[i]) + one;
})");
  Data<float> x({1, 4, 9, 16, 25});
  Data<double> y({0, 0, 0, 0, 0});
  char one = 1;
  int n = 5;
  const void* kernel = load(compiled, "add");
  launch(kernel, 2, 3, x.address(), &one, y.address(), &n);
  one = 0;  // copied by the launch
  EXPECT_THAT(y.values(), ElementsAre(2, 3, 4, 5, 6));
}

TEST(NvrtcTest, ThreadsShareMemoryAndMeet) {
  const Compiled compiled = compile(R"(
extern "C" __global__ void sum(const int* x, int* sums) {
  __shared__ int values[64];
  values[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
  for (int width = 32; width > 0; width /= 2) {
    __syncthreads();
    if (threadIdx.x < width) values[threadIdx.x] += values[threadIdx.x + width];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = values[0];
}
extern "C" __global__ void reverse(int* x) {
  extern __shared__ __align__(sizeof(int)) int all[];
  all[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = all[blockDim.x - 1 - threadIdx.x];
})");
  std::vector<int> values(128);
  std::iota(values.begin(), values.end(), 0);
  Data<int> x(values);
  Data<int> sums({0, 0});
  launch(load(compiled, "sum"), 2, 64, x.address(), sums.address());
  EXPECT_THAT(sums.values(), ElementsAre(63 * 32, 63 * 32 + 64 * 64));
  Data<int> few({1, 2, 3, 4});
  launch(load(compiled, "reverse"), 1, 4, few.address());
  EXPECT_THAT(few.values(), ElementsAre(4, 3, 2, 1));
}

TEST(NvrtcTest, ReportsBarriersThatNotAllThreadsReach) {
  const Compiled compiled = compile(
      "extern \"C\" __global__ void f() { if (threadIdx.x) __syncthreads(); }");
  const void* kernel = load(compiled, "f");
  ::testing::internal::CaptureStderr();
  launch(kernel, 1, 4);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              ::testing::AllOf(HasSubstr("CUDA emulation: f: "),
                               HasSubstr("__syncthreads")));
  reset_devices();
}

TEST(NvrtcTest, HasWarpAndAtomicFunctions) {
  const Compiled compiled = compile(R"(
extern "C" __global__ void f(int* y) {
  const int lane = threadIdx.x % 32;
  y[0] = __shfl_down_sync(~0u, lane, 1, 8) == (lane % 8 < 7 ? lane + 1 : lane);
  int sum = lane;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (lane == 7) y[1] = sum;
  const unsigned ballot = __ballot_sync(~0u, lane < 5);
  if (lane == 3) y[2] = __popc(ballot);
  atomicAdd(&y[3], 2);
  atomicMax(&y[4], (int)threadIdx.x);
  const int count = __syncthreads_count(threadIdx.x % 3 == 0);
  if (threadIdx.x == 9) y[5] = count;
})");
  Data<int> y(std::vector<int>(6));
  launch(load(compiled, "f"), 1, 64, y.address());
  EXPECT_THAT(y.values(), ElementsAre(1, 31 * 16, 5, 128, 63, 22));
}

TEST(NvrtcTest, HasMathematics) {
  const Compiled compiled = compile(R"(
extern "C" __global__ void f(double* y) {
  const float nan = 0.f / 0.f;
  y[0] = sizeof(sin(1.f)) + 10 * sizeof(sin(1.)) + 100 * sizeof(sin(1));
  y[1] = pow(2., 3) + powf(3.f, 2.f);
  y[2] = max(1.f, nan) + min(3, 4) + fmax(2, 7.f);
  y[3] = rsqrt(4.f) + abs(-3) + abs(-0.5f);
  y[4] = isnan(nan) && !isfinite(1. / 0.) && signbit(-0.f);
  const float3 v = make_float3(1, 2, 3);
  y[5] = v.z + __int_as_float(__float_as_int(2.5f)) + __clz(1);
})");
  Data<double> y(std::vector<double>(6));
  launch(load(compiled, "f"), 1, 1, y.address());
  EXPECT_THAT(y.values(), ElementsAre(884, 17, 11, 4, 1, 36.5));
}

TEST(NvrtcTest, FindsTheNamesOfTemplates) {
  const char* source = R"(
namespace n {
template <class T, int k>
__global__ void fill(T* x, T value) { x[threadIdx.x] = value * k; }
}
__global__ void other(int* x) { *x = 5; }
namespace { __global__ void hidden(int* x) { *x = 6; } }
)";
  const Compiled compiled = compile(
      source, {"n::fill<double, 3>", "&other", "n::fill<int, 1>", "hidden"});
  ASSERT_EQ(compiled.status, NVRTC_SUCCESS) << compiled.log;
  EXPECT_EQ(compiled.lowered_names[0], "_ZN1n4fillIdLi3EEEvPT_S1_");
  Data<double> x({0, 0});
  double value = 1.5;
  launch(load(compiled, compiled.lowered_names[0]), 1, 2, x.address(), &value);
  EXPECT_THAT(x.values(), ElementsAre(4.5, 4.5));
  Data<int> y({0});
  launch(load(compiled, compiled.lowered_names[1]), 1, 1, y.address());
  EXPECT_THAT(y.values(), ElementsAre(5));
  launch(load(compiled, compiled.lowered_names[3]), 1, 1, y.address());
  EXPECT_THAT(y.values(), ElementsAre(6));
}

TEST(NvrtcTest, MessagesNameFileAndLine) {
  const Compiled compiled = compile(
      "// a comment\n#define TWICE(x) \\\n  (2 * (x))\n"
      "extern \"C\" __global__ void f(float* x) {\n  *x = TWICE(b);\n}\n"
      "#line 7 \"part\"\nint c = d;");
  EXPECT_EQ(compiled.status, NVRTC_ERROR_COMPILATION);
  EXPECT_THAT(compiled.log, HasSubstr("user.cu(5): error: "));
  EXPECT_THAT(compiled.log, HasSubstr("part(7): error: "));
  EXPECT_THAT(compiled.log, Not(HasSubstr("prelude")));
}

TEST(NvrtcTest, SaysWhichNameExpressionIsNotValid) {
  const char* source = "template <class T> __global__ void fill(T*) {}";
  for (const char* expression : {"fil<int>", "fill<no_type>", "fill", "1 +"}) {
    EXPECT_EQ(compile(source, {expression}).status,
              NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID)
        << expression;
  }
  EXPECT_EQ(compile("int a = b;", {"fill"}).status, NVRTC_ERROR_COMPILATION);
}

TEST(NvrtcTest, PassesDefinitionsOnAndKnowsOptions) {
  const char* source =
      "static_assert(__CUDA_ARCH__ == 800 && VALUE == 3 && __cplusplus == "
      "202002L);";
  EXPECT_EQ(compile(source, {},
                    {"-DVALUE=3", "--gpu-architecture=sm_80", "--std=c++20",
                     "-lineinfo", "--fmad=false", "-maxrregcount", "32",
                     "--use_fast_math"})
                .log,
            "");
  EXPECT_EQ(
      compile(source, {}, {"--define-macro=VALUE=4", "-arch=sm_80"}).status,
      NVRTC_ERROR_COMPILATION);
  for (const char* option :
       {"--no-such-option", "-O3", "VALUE", "-arch=80", "--std=c++42", ""}) {
    const Compiled compiled = compile(source, {}, {option});
    EXPECT_EQ(compiled.status, NVRTC_ERROR_INVALID_OPTION);
    EXPECT_THAT(compiled.log, HasSubstr(option));
  }
}

TEST(NvrtcTest, HasNoHeadersButThoseOfTheProgram) {
  EXPECT_EQ(compile("#include <cstdint>\n").status, NVRTC_ERROR_COMPILATION);
  const char* header = "typedef long long wide;";
  const char* name = "some/wide.h";
  nvrtcProgram program = nullptr;
  ASSERT_EQ(nvrtcCreateProgram(&program, "#include <some/wide.h>\nwide x;",
                               nullptr, 1, &header, &name),
            NVRTC_SUCCESS);
  EXPECT_EQ(nvrtcCompileProgram(program, 0, nullptr), NVRTC_SUCCESS);
  EXPECT_EQ(nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
}

TEST(NvrtcTest, RefusesNamesAndCodeThatAreNone) {
  nvrtcProgram program = nullptr;
  ASSERT_EQ(nvrtcCreateProgram(&program, "", "x", 0, nullptr, nullptr),
            NVRTC_SUCCESS);
  const char* name = nullptr;
  EXPECT_EQ(nvrtcGetLoweredName(program, "f", &name),
            NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
  EXPECT_EQ(nvrtcCompileProgram(program, 0, nullptr), NVRTC_SUCCESS);
  EXPECT_EQ(nvrtcGetLoweredName(program, "f", &name),
            NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
  EXPECT_EQ(nvrtcAddNameExpression(program, "f"),
            NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
  EXPECT_EQ(nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
  EXPECT_EQ(nvrtcDestroyProgram(&program), NVRTC_ERROR_INVALID_PROGRAM);

  cudaLibrary_t library = nullptr;
  const std::string text(100, 'x');
  EXPECT_EQ(cudaLibraryLoadData(&library, text.data(), nullptr, nullptr, 0,
                                nullptr, nullptr, 0),
            cudaSuccess);
  unsigned count = 0;
  cudaKernel_t kernel = nullptr;
  void* data = nullptr;
  size_t bytes = 0;
  for (const cudaError_t error :
       {cudaLibraryGetKernelCount(&count, library),
        cudaLibraryEnumerateKernels(&kernel, 1, library),
        cudaLibraryGetKernel(&kernel, library, "f"),
        cudaLibraryGetGlobal(&data, &bytes, library, "f")}) {
    EXPECT_EQ(error, cudaErrorInvalidPtx);
  }
  EXPECT_EQ(cudaLibraryUnload(library), cudaSuccess);
  const Compiled compiled = compile("extern \"C\" __global__ void f() {}");
  ASSERT_EQ(cudaLibraryLoadData(&library, compiled.code.data(), nullptr,
                                nullptr, 0, nullptr, nullptr, 0),
            cudaSuccess);
  EXPECT_EQ(cudaLibraryGetKernelCount(&count, library), cudaSuccess);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(cudaLibraryGetKernel(&kernel, library, "g"),
            cudaErrorSymbolNotFound);
  EXPECT_EQ(cudaLibraryEnumerateKernels(&kernel, 1, library), cudaSuccess);
  cudaFuncAttributes attributes;
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, kernel), cudaSuccess);
}

TEST(KernelScanTest, FindsKernelsWithCLinkage) {
  EXPECT_THAT(find_c_kernels(R"code(
# 1 "extern C"
extern "C" __global__ void a(int x) { if (x) { f("}"); } }
extern "C" __global__ void __launch_bounds__(32) b() {}
extern "C" {
  __global__ void c(int* x) { *x = '"'; }
  __device__ int device() { return 1'000; }
  namespace n { __global__ void mangled() {} }
}
__global__ void mangled2() {}
extern "C" __global__ void declared(int);
extern "C" __device__ void no_kernel() {}
const char* text = R"x(" extern "C" __global__ void e() {} )x";
__attribute__((used)) extern "C" __global__ void alignas(4) d() {}
template <class T> __global__ void t(T) {}
)code"),
              ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(find_c_kernels(""), IsEmpty());
  EXPECT_THAT(find_c_kernels("} } extern \"C\" \""), IsEmpty());
}

TEST(KernelScanTest, FindsDynamicSharedMemory) {
  const auto pointer = [](const std::string& type, const std::string& name) {
    return type + " * const " + name + " = reinterpret_cast<" + type +
           " *>(catena_emulation::dynamic_shared);";
  };
  EXPECT_EQ(point_to_shared_memory("a; extern __shared__ float x[]; b;"),
            "a; " + pointer("float", "x") + " b;");
  EXPECT_EQ(point_to_shared_memory(
                "extern __shared__ __align__(sizeof(int)) unsigned char c[];\n"
                "__shared__ extern n::T d [ ] ;"),
            pointer("unsigned char", "c") + "\n" + pointer("n::T", "d"));
  for (const char* other :
       {"__shared__ float x[3]; extern int y[];", "extern __shared__ float x",
        "extern __shared__ float x[3];", "f(\"extern __shared__ T x[];\");"}) {
    EXPECT_EQ(point_to_shared_memory(other), other);
  }
}

}  // namespace
}  // namespace catena::cuda::emulation
