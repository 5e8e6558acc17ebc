#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "catena/array/core/device.h"
#include "catena/array/core/dtype.h"
#include "catena/array/kernels/kernel_targets.h"

// How an operation finds its kernel.
//
// Kernels are compiled once for each target: an instruction set of the CPU, or
// CUDA. All code of a target is in its namespace, catena::kernels::<target>, so
// that no two targets share a symbol. There Kernels<Family, Op>::table holds
// the kernels of the operation Op; kernel_slot<Family, Op> has one such table
// per target. A family names the type of its tables:
//
//   struct RowFamily {
//     using Kernel = void(const RowArgs& args);
//     using Table = DtypeTable<Kernel>;
//   };
//
// A single operation is its own family. kernel_definition.h describes how
// tables are filled.
namespace catena {

// Which compilation of a kernel runs: one for the CPU, by the instruction set
// detected at startup, or CUDA's.
enum class KernelTarget : uint8_t {
#define CATENA_ENUMERATOR(target, ...) target,
  CATENA_CPU_TARGETS(CATENA_ENUMERATOR)
#undef CATENA_ENUMERATOR
      kCuda,
};
inline constexpr int kKernelTargetCount =
    static_cast<int>(KernelTarget::kCuda) + 1;

// The CPU targets of this build, best last; the machine may not support all.
std::span<const KernelTarget> cpu_kernel_targets();
// The CPU target in use: the best that the machine supports, or a lower one
// selected by the environment variable CATENA_CPU_TARGET (baseline, avx2,
// avx512).
KernelTarget cpu_kernel_target();
std::string_view kernel_target_name(KernelTarget target);
// A compiler's flags for a CPU target, separated by spaces.
std::string_view kernel_target_flags(KernelTarget target);
// For tests that compare targets. Throws ValueError when the machine does not
// support it.
void set_cpu_kernel_target(KernelTarget target);

namespace internal {
extern constinit KernelTarget cpu_target;
[[noreturn]] void throw_no_kernel(std::string_view operation, Device device);
}  // namespace internal

inline KernelTarget kernel_target(Device device) {
  return device.is_native() ? internal::cpu_target : KernelTarget::kCuda;
}

// An operation: its name and the kernels of each target. CPU kernels are
// referenced by symbol in the slot's definition, so that the linker keeps what
// is used and nothing depends on static initializers; CUDA kernels install
// themselves when linked. A call costs an indexed load and an indirect call.
//
// An operation that only devices have, since the CPU does it by others, has a
// slot without CPU kernels: {"name", {}}.
template <class Table>
struct KernelSlot {
  std::string_view name;
  std::array<const Table*, kKernelTargetCount> kernels;

  // Null when there are none for the device.
  const Table* find(Device device) const {
    return kernels[static_cast<int>(kernel_target(device))];
  }
  // Throws NotImplementedError naming the operation and the device.
  const Table& on(Device device) const {
    const Table* table = find(device);
    if (table == nullptr) internal::throw_no_kernel(name, device);
    return *table;
  }
  void set_cuda(const Table* table) {
    kernels[static_cast<int>(KernelTarget::kCuda)] = table;
  }
};

// The kernels of one operation, one per supported dtype.
template <class Fn>
struct DtypeTable {
  std::array<Fn*, kDtypeCount> by_dtype{};

  constexpr Fn* operator[](Dtype dtype) const {
    return by_dtype[static_cast<int>(dtype)];
  }
  constexpr void set(Dtype dtype, Fn* fn) {
    by_dtype[static_cast<int>(dtype)] = fn;
  }
};

}  // namespace catena

namespace catena::kernels {

#define CATENA_DECLARE_KERNELS(target, backend, ...) \
  namespace backend {                                \
  template <class Family, class Op = Family>         \
  struct Kernels {                                   \
    static const typename Family::Table table;       \
  };                                                 \
  }
CATENA_CPU_TARGETS(CATENA_DECLARE_KERNELS)
// For families with kCompiledOnce: compiled once, for every CPU.
CATENA_DECLARE_KERNELS(, cpu_portable)
CATENA_DECLARE_KERNELS(, cuda)
#undef CATENA_DECLARE_KERNELS

template <class Family>
concept CompiledOnce = requires {
  requires Family::kCompiledOnce;
};

template <class Family, class Op>
constexpr KernelSlot<typename Family::Table> make_slot() {
#define CATENA_PORTABLE(...) &cpu_portable::Kernels<Family, Op>::table,
#define CATENA_COMPILED(target, backend, ...) \
  &backend::Kernels<Family, Op>::table,
  if constexpr (CompiledOnce<Family>) {
    return {Op::kName, {CATENA_CPU_TARGETS(CATENA_PORTABLE) nullptr}};
  } else {
    return {Op::kName, {CATENA_CPU_TARGETS(CATENA_COMPILED) nullptr}};
  }
#undef CATENA_PORTABLE
#undef CATENA_COMPILED
}

}  // namespace catena::kernels

namespace catena {

// The slot of an operation, named Op::kName.
template <class Family, class Op = Family>
inline constinit KernelSlot<typename Family::Table> kernel_slot =
    kernels::make_slot<Family, Op>();

}  // namespace catena
