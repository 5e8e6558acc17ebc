#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/core/shape.h"
#include "catena/array/kernels/kernel_slot.h"

// The interface between user-defined kernels and the backends that compile and
// run them: the host compiler for native devices, NVRTC for CUDA.
namespace catena::array {

// The maximum number of parameters: CUDA limits launch arguments to 4 KiB.
inline constexpr int kMaxKernelParams = 24;

// One argument, as the generated code sees it (kernel_prelude_tail.h). A number
// is stored in place of `data`.
struct UserKernelParam {
  char* data;
  int64_t size;
  int64_t shape[kMaxDims];
  // In bytes; in a reduction first the kept axes, then the reduced ones.
  int64_t strides[kMaxDims + 1];
};

struct UserKernelArgs {
  int64_t size;     // elements of the loop, or of the output of a reduction
  int64_t outputs;  // of a reduction
  int64_t count;    // of elements that give one output
  // Whether a reduction's outputs are closer in memory than the elements of one
  // output.
  int64_t by_columns;
  int64_t shape[kMaxDims];          // of the loop, or of the kept axes
  int64_t reduced_shape[kMaxDims];  // of the reduced axes
  UserKernelParam params[kMaxKernelParams];
};

// A part of a kernel's source that the user wrote, to show in messages.
struct UserText {
  std::string part;  // "operation"
  std::string text;
};

struct UserKernelProgram {
  std::string name;    // of the kernel
  std::string source;  // complete
  std::vector<UserText> texts;
  std::vector<std::string> options;  // of the compiler
  bool reduction = false;
};

// The code of a program for one device. Lives as long as the process.
using LoadedUserKernel = const void*;

struct UserKernelBackend {
  static constexpr std::string_view kName = "user-defined kernel";
  static constexpr bool kCompiledOnce = true;
  using Table = UserKernelBackend;

  // Compiles the program for the device, or finds it compiled. Throws
  // CompileError when the compiler rejects the user's code.
  LoadedUserKernel (*load)(const UserKernelProgram& program, Device device);
  // Runs it over args.size elements, or a reduction over args.outputs by
  // args.count.
  void (*run)(LoadedUserKernel kernel, const UserKernelArgs& args, int nparams,
              Device device);
};

// The beginning of the kernel's part of the source.
std::string_view user_kernel_prelude();

// Throws CompileError with the name, the compiler's messages and the numbered
// user lines to which they refer.
[[noreturn]] void throw_compile_error(const UserKernelProgram& program,
                                      std::string_view messages);

}  // namespace catena::array
