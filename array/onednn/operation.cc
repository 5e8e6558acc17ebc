#include "catena/array/onednn/operation.h"

#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_pool.h"
#include "catena/array/core/parallel.h"
#include "catena/array/cpu/thread_limit.h"
#include "catena/array/onednn/primitive.h"

namespace catena::cpu::onednn {
namespace {

using cpu::ThreadLimit;

constexpr int64_t kAlignment = 64;
constexpr size_t kCachedOperations = 512;

int64_t aligned(size_t bytes) {
  return (static_cast<int64_t>(bytes) + kAlignment - 1) / kAlignment *
         kAlignment;
}

// Inside a parallel region the libraries run on one thread.
// One in a child of fork(), and where the system has no more: oneDNN would wait
// for threads that are not there. Primitives keep this number.
int available_threads() { return parallel_threads(); }

dnnl::stream& stream() {
  thread_local dnnl::stream stream(engine());
  return stream;
}

}  // namespace

Operation::Operation(const dnnl::primitive& primitive,
                     const dnnl::memory::desc& scratchpad,
                     std::span<const Argument> arguments)
    : threads_(available_threads()),
      primitive_(primitive),
      scratchpad_(scratchpad) {
  for (const Argument& argument : arguments) {
    Bound bound{.argument = argument, .reorder = {}};
    if (argument.given != argument.wanted) {
      const bool is_input = argument.direction == Direction::kIn;
      const auto& from = is_input ? argument.given : argument.wanted;
      const auto& to = is_input ? argument.wanted : argument.given;
      bound.reorder = dnnl::reorder(
          dnnl::reorder::primitive_desc(engine(), from, engine(), to));
      bound.offset = scratch_bytes_;
      scratch_bytes_ += aligned(argument.wanted.get_size());
    }
    arguments_.push_back(std::move(bound));
  }
  scratchpad_offset_ = scratch_bytes_;
  scratch_bytes_ += aligned(scratchpad.get_size());
}

void Operation::run(std::string_view function,
                    std::initializer_list<const void*> data) const {
  const PoolBuffer<char> scratch(scratch_bytes_);
  const ThreadLimit limit(threads_);
  with_errors_of(function, [&] {
    execute(scratch.get(), {data.begin(), data.size()});
  });
}

void Operation::execute(char* scratch,
                        std::span<const void* const> data) const {
  std::unordered_map<int, dnnl::memory> wanted;
  std::vector<dnnl::memory> given;
  given.reserve(arguments_.size());
  for (size_t i = 0; i < arguments_.size(); ++i) {
    const auto& [argument, reorder, offset] = arguments_[i];
    // oneDNN has no const memory.
    given.emplace_back(argument.given, engine(), const_cast<void*>(data[i]));
    if (!reorder) {
      wanted.emplace(argument.id, given.back());
      continue;
    }
    dnnl::memory memory(argument.wanted, engine(), scratch + offset);
    if (argument.direction == Direction::kIn) {
      reorder->execute(stream(), given.back(), memory);
    }
    wanted.emplace(argument.id, std::move(memory));
  }
  wanted.emplace(DNNL_ARG_SCRATCHPAD,
                 dnnl::memory(scratchpad_, engine(),
                              scratch_bytes_ == scratchpad_offset_
                                  ? nullptr
                                  : scratch + scratchpad_offset_));
  primitive_.execute(stream(), wanted);
  for (size_t i = 0; i < arguments_.size(); ++i) {
    const auto& [argument, reorder, offset] = arguments_[i];
    if (reorder && argument.direction == Direction::kOut) {
      reorder->execute(stream(), wanted.at(argument.id), given[i]);
    }
  }
}

dnnl::primitive_attr with_user_scratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

void with_errors_of(std::string_view function, absl::FunctionRef<void()> f) {
  try {
    f();
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_out_of_memory) {
      raise<OutOfMemoryError>(function, ": no memory for oneDNN's buffers");
    }
    raise<NotImplementedError>(function, ": expected oneDNN to succeed, got ",
                               std::string(error.message), " (status ",
                               static_cast<int>(error.status), ")");
  }
}

namespace {

// For AbslHashValue(), which keys define: FNV-1a of 64-bit numbers.
struct KeyHash {
  uint64_t value = 0xcbf29ce484222325;

  template <class Numbers>
  static KeyHash combine(KeyHash hash, const Numbers& numbers) {
    for (const int64_t number : numbers) {
      hash.value = (hash.value ^ static_cast<uint64_t>(number)) * 0x100000001b3;
    }
    return hash;
  }
  size_t operator()(const OperationKey& key) const {
    return AbslHashValue(KeyHash(), key).value;
  }
};

// The least recently used cache of operations, most recent first.
class Cache {
 public:
  using Value = std::shared_ptr<const Operation>;

  std::optional<Value> find(const OperationKey& key) {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end()) return std::nullopt;
    order_.splice(order_.begin(), order_, found->second);
    return found->second->second;
  }

  // Keep an entry that another thread has added in the meantime.
  void insert(const OperationKey& key, const Value& value) {
    const std::lock_guard lock(mutex_);
    if (entries_.contains(key)) return;
    Order added;  // to be in both or, without memory, in neither
    added.emplace_front(key, value);
    entries_.emplace(key, added.begin());
    order_.splice(order_.begin(), added);
    if (entries_.size() > kCachedOperations) {
      entries_.erase(order_.back().first);
      order_.pop_back();
    }
  }

 private:
  using Order = std::list<std::pair<OperationKey, Value>>;

  std::mutex mutex_;
  Order order_;
  // Abseil's hash maps break where there is no memory to grow.
  std::unordered_map<OperationKey, Order::iterator, KeyHash> entries_;
};

}  // namespace

std::shared_ptr<const Operation> cached_operation(std::string_view function,
                                                  OperationKey key,
                                                  MakeOperation make) {
  static Cache& cache = *new Cache;
  const int threads = available_threads();
  key.add(threads);
  if (const auto found = cache.find(key)) return *found;
  std::shared_ptr<const Operation> operation;
  const ThreadLimit limit(threads);
  with_errors_of(function, [&] {
    if (auto made = make()) {
      operation = std::make_shared<const Operation>(std::move(*made));
    }
  });
  cache.insert(key, operation);
  return operation;
}

}  // namespace catena::cpu::onednn
