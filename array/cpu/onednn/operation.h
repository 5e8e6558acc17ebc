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
#include "catena/array/shape.h"

namespace catena::cpu::onednn {

// A primitive of oneDNN that is ready to run on arguments in the layouts that
// callers have: where it likes another layout best, as convolutions do, the
// argument is brought into it and the result back. Immutable, so that threads
// may run one side by side: what a run needs comes from the memory pool.
class Operation {
 public:
  enum class Direction { kIn, kOut };

  struct Argument {
    int id;  // DNNL_ARG_...
    Direction direction;
    dnnl::memory::desc given;
    dnnl::memory::desc wanted;  // by the primitive
  };

  // `scratchpad` is the primitive's, which must be made with
  // scratchpad_mode::user (see with_user_scratchpad).
  Operation(const dnnl::primitive& primitive,
            const dnnl::memory::desc& scratchpad,
            std::span<const Argument> arguments);

  // On the arguments' memory, in the constructor's order. Uses as many threads
  // as were set when it was made. `function` is for messages.
  void run(std::string_view function,
           std::initializer_list<const void*> data) const;

 private:
  struct Bound {
    Argument argument;
    // Between the layouts, where they differ, and where in the scratch memory
    // the wanted one lies.
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

// What makes an operation differ from others: which one it is, shapes, strides,
// dtypes, options.
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

// The operation of that key for the number of threads in force, made by `make`
// when it is asked for first; null when `make` found that oneDNN has none. The
// hundreds asked for last are kept, for all threads together. Keys must start
// with a number that no other user of the cache takes: see Family.
using MakeOperation = absl::FunctionRef<std::optional<Operation>()>;
std::shared_ptr<const Operation> cached_operation(std::string_view function,
                                                  OperationKey key,
                                                  MakeOperation make);

// First numbers of keys.
enum Family : int64_t {
  kConvolution,
  kPooling,
  kNormalization,
  kRecurrence,
};

// Runs f. What oneDNN throws becomes OutOfMemoryError or NotImplementedError
// naming the function.
void with_errors_of(std::string_view function, absl::FunctionRef<void()> f);

}  // namespace catena::cpu::onednn
