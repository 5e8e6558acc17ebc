// User-defined kernels on native devices: the host compiler builds a shared
// object from the program, and its loops run on the thread pool.

#include <dlfcn.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_pool.h"
#include "catena/array/core/parallel.h"
#include "catena/array/core/shared_object.h"
#include "catena/array/kernels/kernel_definition.h"
#include "catena/array/user_kernel/host_compiler.h"
#include "catena/array/user_kernel/kernel_backend.h"
#include "catena/array/user_kernel/kernel_cache.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

// The minimum number of elements per thread.
constexpr int64_t kGrain = 8192;
// A reduction to few outputs is split into parts of this many elements, so that
// its result does not depend on the number of threads.
constexpr int64_t kPart = 1 << 16;
constexpr int64_t kFewOutputs = 16;

struct alignas(16) Slot {
  char bytes[64];
};

using ElementwiseEntry = void(const UserKernelArgs& args, int64_t begin,
                              int64_t end);
using ReductionEntry = void(const UserKernelArgs& args, int64_t out_begin,
                            int64_t out_end, int64_t in_begin, int64_t in_end,
                            Slot* partials);
using CombineEntry = void(const UserKernelArgs& args, int64_t out_begin,
                          int64_t out_end, const Slot* partials, int64_t parts);

struct Code {
  ElementwiseEntry* elementwise = nullptr;
  ReductionEntry* reduction = nullptr;
  CombineEntry* combine = nullptr;
};

std::vector<std::string> options_of(const UserKernelProgram& program) {
  // As for the library's own kernels: contraction would make results depend on
  // the instruction set.
  std::vector<std::string> options = {"-std=c++20",
                                      "-O3",
                                      "-w",
                                      "-fno-math-errno",
                                      "-fno-trapping-math",
                                      "-ffp-contract=off",
                                      "-fvisibility=default"};
  std::istringstream flags{
      std::string(kernel_target_flags(cpu_kernel_target()))};
  for (std::string flag; flags >> flag;) options.push_back(flag);
  options.insert(options.end(), program.options.begin(), program.options.end());
  return options;
}

// Everything the shared object depends on.
std::string key_of(const UserKernelProgram& program,
                   const HostCompiler& compiler,
                   const std::vector<std::string>& options) {
  std::string key = "c++\n" + compiler.version + "\n";
  for (const std::string& word : compiler.command) key += word + "\n";
  for (const std::string& option : options) key += option + "\n";
  return key + "\n" + program.source;
}

void* find_symbol(void* library, const std::string& name) {
  void* symbol = ::dlsym(library, name.c_str());
  if (symbol == nullptr) {
    raise<IoError>("compile: expected ", name, " in the compiled kernel");
  }
  return symbol;
}

// Loads exactly these bytes: what is in the cache's folder may change after it
// has been verified.
Code open_code(const UserKernelProgram& program, const std::string& binary) {
  void* library =
      load_shared_object(program.name, binary, RTLD_NOW | RTLD_LOCAL);
  void* entry = find_symbol(library, program.name + "_kernel");
  Code code;
  if (program.reduction) {
    code.reduction = reinterpret_cast<ReductionEntry*>(entry);
    code.combine = reinterpret_cast<CombineEntry*>(
        find_symbol(library, program.name + "_combine"));
  } else {
    code.elementwise = reinterpret_cast<ElementwiseEntry*>(entry);
  }
  return code;
}

Code make_code(const UserKernelProgram& program, const HostCompiler& compiler,
               const std::vector<std::string>& options,
               const std::string& key) {
  const KernelCache cache = KernelCache::user();
  if (const auto binary = cache.load(key)) {
    try {
      return open_code(program, *binary);
    } catch (const IoError&) {
      // Recompiled below.
    }
  }
  const Compilation result =
      compile_shared_object(compiler, program.name, program.source, options);
  if (!result.ok) throw_compile_error(program, result.output);
  cache.store(key, result.binary);
  return open_code(program, result.binary);
}

LoadedUserKernel load(const UserKernelProgram& program, Device /*device*/) {
  struct Entry {
    std::mutex mutex;
    std::unique_ptr<const Code> code;
  };
  static std::mutex mutex;
  static std::map<std::string, Entry>& entries =
      *new std::map<std::string, Entry>;
  const HostCompiler& compiler = host_compiler(program.name);
  const std::vector<std::string> options = options_of(program);
  const std::string key = key_of(program, compiler, options);
  Entry* entry;
  {
    const std::lock_guard lock(mutex);
    entry = &entries[key];
  }
  // One thread compiles; others that need the same program wait for it.
  const std::lock_guard lock(entry->mutex);
  if (!entry->code) {
    entry->code = std::make_unique<const Code>(
        make_code(program, compiler, options, key));
  }
  return entry->code.get();
}

void run_in_parts(const Code& code, const UserKernelArgs& args) {
  const int64_t parts = (args.count + kPart - 1) / kPart;
  const int64_t bytes =
      parts * args.outputs * static_cast<int64_t>(sizeof(Slot));
  const std::unique_ptr<void, void (*)(void*)> memory(
      ::operator new(static_cast<size_t>(bytes), std::align_val_t(64)),
      [](void* data) { ::operator delete(data, std::align_val_t(64)); });
  Slot* const slots = static_cast<Slot*>(memory.get());
  cpu::parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      code.reduction(args, 0, args.outputs, part * kPart,
                     std::min(args.count, (part + 1) * kPart),
                     slots + part * args.outputs);
    }
  });
  code.combine(args, 0, args.outputs, slots, parts);
}

void run(LoadedUserKernel kernel, const UserKernelArgs& args, int /*nparams*/,
         Device /*device*/) {
  const Code& code = *static_cast<const Code*>(kernel);
  if (code.elementwise != nullptr) {
    cpu::parallel_for(args.size, kGrain, [&](int64_t begin, int64_t end) {
      code.elementwise(args, begin, end);
    });
  } else if (args.outputs <= kFewOutputs && args.count > kPart) {
    run_in_parts(code, args);
  } else {
    const int64_t grain =
        std::max<int64_t>(1, kGrain / std::max<int64_t>(1, args.count));
    cpu::parallel_for(args.outputs, grain, [&](int64_t begin, int64_t end) {
      code.reduction(args, begin, end, 0, args.count, nullptr);
    });
  }
}

}  // namespace

template <>
constinit const UserKernelBackend Kernels<UserKernelBackend>::table = {load,
                                                                       run};

}  // namespace catena::kernels::CATENA_BACKEND
