#pragma once

#include <cstdint>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "catena/array/core/shape.h"

namespace catena::cpu::onednn {

// A oneDNN primitive that runs on arguments in the caller's layouts. If the
// primitive prefers another layout, as convolutions do, arguments and results
// are reordered. Immutable and thread-safe: scratch memory comes from the
// memory pool.
class Operation {
 public:
  enum class Direction { kIn, kOut };

  struct Argument {
    int id;  // DNNL_ARG_...
    Direction direction;
    dnnl::memory::desc given;
    dnnl::memory::desc wanted;  // preferred by the primitive
  };

  // `scratchpad` describes the primitive's scratchpad; the primitive must be
  // created with scratchpad_mode::user (see with_user_scratchpad).
  Operation(const dnnl::primitive& primitive,
            const dnnl::memory::desc& scratchpad,
            std::span<const Argument> arguments);

  // Runs on the arguments' memory, in the constructor's order, with the number
  // of threads set at construction. `function` is for error messages.
  void run(std::string_view function,
           std::initializer_list<const void*> data) const;

 private:
  struct Bound {
    Argument argument;
    // Reorders between the layouts if they differ; the wanted one is at
    // `offset` in the scratch memory.
    std::optional<dnnl::reorder> reorder;
    int64_t offset = 0;
  };

  void execute(char* scratch, std::span<const void* const> data) const;

  int threads_;
  dnnl::primitive primitive_;
  dnnl::memory::desc scratchpad_;
  std::vector<Bound> arguments_;
  int64_t scratchpad_offset_ = 0;
  int64_t scratch_bytes_ = 0;
};

dnnl::primitive_attr with_user_scratchpad();

// The cache key of an operation: its kind, shapes, strides, dtypes, options.
class OperationKey {
 public:
  OperationKey(int64_t number) { add(number); }
  void add(int64_t number) { numbers_.push_back(number); }
  void add(const Shape& shape) {
    add(shape.size());
    numbers_.insert(numbers_.end(), shape.begin(), shape.end());
  }

  template <class Hash>
  friend Hash AbslHashValue(Hash hash, const OperationKey& key) {
    return Hash::combine(std::move(hash), key.numbers_);
  }
  friend bool operator==(const OperationKey&, const OperationKey&) = default;

 private:
  absl::InlinedVector<int64_t, 48> numbers_;
};

// The operation for this key and the current number of threads, created by
// `make` on first request; null if `make` returned nullopt because oneDNN lacks
// it. A shared LRU cache keeps several hundred. Keys must start with a number
// that is unique to the user of the cache: see Family.
using MakeOperation = absl::FunctionRef<std::optional<Operation>()>;
std::shared_ptr<const Operation> cached_operation(std::string_view function,
                                                  OperationKey key,
                                                  MakeOperation make);

// The first number of a key.
enum Family : int64_t {
  kConvolution,
  kPooling,
  kNormalization,
  kRecurrence,
};

// Runs f, converting oneDNN's exceptions to OutOfMemoryError or
// NotImplementedError naming the function.
void with_errors_of(std::string_view function, absl::FunctionRef<void()> f);

}  // namespace catena::cpu::onednn
