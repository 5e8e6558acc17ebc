#include "catena/training/communicators/communicator.h"

#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "catena/array/core/memory_errors.h"
#include "catena/serializers/dictionary.h"
#include "catena/training/communicators/gradient_reducer.h"

namespace catena::training::communicators {
namespace {

// Values packed into bytes, to be read by another rank of the same program.
class Writer {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void put_bytes(std::string_view bytes) {
    put(static_cast<uint64_t>(bytes.size()));
    bytes_.append(bytes);
  }
  void put_array(const Array& array) {
    const Array host = array.to_device(native_device()).contiguous();
    put(host.dtype());
    put(host.ndim());
    for (const int64_t extent : host.shape()) put(extent);
    put_bytes({host.raw_data(), static_cast<size_t>(host.nbytes())});
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  bool is_at_end() const { return rest_.empty(); }
  template <class T>
  T get() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string_view get_bytes() { return take(get<uint64_t>()); }
  Array get_array() {
    const auto dtype = get<Dtype>();
    Shape shape;
    for (int ndim = get<int>(); ndim > 0; --ndim) {
      shape.push_back(get<int64_t>());
    }
    const Array array = array::empty(shape, dtype, native_device());
    const std::string_view bytes = get_bytes();
    if (bytes.size() != static_cast<size_t>(array.nbytes())) fail();
    if (!bytes.empty()) {
      std::memcpy(array.raw_data(), bytes.data(), bytes.size());
    }
    return array;
  }

 private:
  [[noreturn]] static void fail() {
    raise<CommunicatorError>(
        "bcast: expected data of the same program, got something else; do all "
        "ranks run the same program?");
  }
  std::string_view take(uint64_t count) {
    if (count > rest_.size()) fail();
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::string_view rest_;
};

// The entries of an object; an entry's kind is its index in SerializedValue.
std::string to_bytes(const serializers::Dictionary& entries) {
  Writer writer;
  for (const auto& [key, value] : entries) {
    writer.put_bytes(key);
    writer.put(static_cast<uint8_t>(value.index()));
    if (const Array* array = std::get_if<Array>(&value)) {
      writer.put_array(*array);
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      writer.put_bytes(*text);
    }
  }
  return writer.take();
}

serializers::Dictionary from_bytes(std::string_view bytes) {
  serializers::Dictionary entries;
  Reader reader(bytes);
  while (!reader.is_at_end()) {
    const std::string key(reader.get_bytes());
    SerializedValue& value = entries[key];
    const auto kind = reader.get<uint8_t>();
    if (kind == 1) value = reader.get_array();
    if (kind == 2) value = std::string(reader.get_bytes());
  }
  return entries;
}

}  // namespace

Dtype travel_dtype(Dtype dtype, std::string_view operation) {
  switch (dtype) {
    case Dtype::kBool:
      raise<DtypeError>(operation, ": expected numbers, got bool");
    case Dtype::kFloat16:
    case Dtype::kBFloat16:
      return Dtype::kFloat32;
    case Dtype::kFloat32:
    case Dtype::kFloat64:
    case Dtype::kInt32:
      return dtype;
    default:
      return Dtype::kInt64;  // which wraps around as uint64 does
  }
}

Communicator::Communicator(const Place& place, const BucketPolicy& policy)
    : place_(place), policy_(policy) {
  if (policy.bucket_bytes < 0) {
    raise<ValueError>("Communicator: expected bucket_bytes of at least 0, got ",
                      policy.bucket_bytes);
  }
  const auto sent = policy.allreduce_grad_dtype;
  if (sent && (!is_floating(*sent) || item_size(*sent) > 4)) {
    raise<ValueError>(
        "Communicator: expected float16, bfloat16 or float32 as "
        "allreduce_grad_dtype, got ",
        *sent);
  }
}

void Communicator::check_root(int root, std::string_view operation) const {
  if (root < 0 || root >= size()) {
    raise<ValueError>(operation, ": expected a root in [0, ", size(), "), got ",
                      root);
  }
}

Array Communicator::allreduce(const Array& x) try {
  const Array sum = x.astype(travel_dtype(x.dtype(), "allreduce"));
  start_allreduce(sum)->wait();
  return sum.astype(x.dtype(), Array::CopyPolicy::kIfNeeded);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("allreduce");
}

Array Communicator::bcast(const Array& x, int root) try {
  check_root(root, "bcast");
  const Array y = x.copy();
  start_bcast(y, root)->wait();
  return y;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("bcast");
}

std::string Communicator::bcast_bytes(std::string bytes, int root) try {
  check_root(root, "bcast_bytes");
  return do_bcast(std::move(bytes), root);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("bcast_bytes");
}

std::vector<std::string> Communicator::allgather_bytes(
    const std::string& bytes, std::string_view operation) try {
  return do_allgather(bytes, operation);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("allgather_bytes");
}

void Communicator::bcast_state(const serializers::Serialize& serialize,
                               int root) try {
  check_root(root, "bcast_state");
  std::string bytes;
  if (rank() == root) {
    serializers::DictionarySerializer serializer;
    serialize(Serializer(serializer));
    bytes = to_bytes(serializer.target());
  }
  bytes = do_bcast(std::move(bytes), root);
  if (rank() == root) return;
  serializers::DictionaryDeserializer source(from_bytes(bytes));
  serializers::load_from(source, serialize);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("bcast_state");
}

void Communicator::allreduce_grad(const Link& link) try {
  GradientReducer reducer(*this, policy_);
  reducer.start(link);
  reducer.finish();
} catch (const std::bad_alloc&) {
  raise_out_of_memory("allreduce_grad");
}

}  // namespace catena::training::communicators
