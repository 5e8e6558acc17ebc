#include "catena/optimizers/update_batch.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <unordered_map>
#include <utility>

#include "catena/array/aliasing.h"
#include "catena/array/core/borrowed_storage.h"
#include "catena/array/core/capture.h"
#include "catena/array/core/error.h"
#include "catena/array/core/parallel.h"
#include "catena/array/core/work_record.h"
#include "catena/array/elementwise.h"
#include "catena/optimizers/flat_arrays.h"

namespace catena::optimizers {
namespace {

// Minimum elements per thread; fewer are cheaper than waking a thread.
constexpr int64_t kGrain = 32768;

// Elements that several functors change before they come to the next ones: the
// arrays of Adam for 16 bits are 90 KiB of them.
constexpr int64_t kCached = 4096;

// The dtype of an operand, by its position, of the functor's kernel for
// `dtype`.
Dtype operand_dtype(const UpdateKernels& kernels, size_t k, Dtype dtype) {
  return (kernels.float32_operands >> k & 1) != 0 ? Dtype::kFloat32 : dtype;
}

void check_operand(const Array& array, const Array& target, Dtype dtype,
                   std::string_view name) {
  if (array.shape() != target.shape()) {
    raise<ShapeError>(name, ": expected arrays of shape ", target.shape(),
                      ", got ", array.shape());
  }
  array.check_dtype(dtype, name);
  if (array.device() != target.device()) {
    raise<DeviceError>(name, ": expected arrays on ", target.device(), ", got ",
                       array.device());
  }
}

// Whether two of the calls write to the same memory.
bool do_overlap(std::span<const int64_t> sizes, std::span<char* const> data,
                size_t ninputs, std::span<const int64_t> items) {
  const size_t noperands = items.size();
  std::vector<std::pair<char*, char*>> ranges;
  ranges.reserve(data.size());
  for (size_t i = 0; i < sizes.size(); ++i) {
    for (size_t k = ninputs; k < noperands; ++k) {
      char* begin = data[i * noperands + k];
      ranges.emplace_back(begin, begin + sizes[i] * items[k]);
    }
  }
  std::ranges::sort(ranges);
  return std::ranges::adjacent_find(ranges, [](const auto& a, const auto& b) {
           return b.first < a.second;
         }) != ranges.end();
}

void run_one(const UpdateKernels& kernels, Dtype dtype,
             std::span<const Array> operands, const void* op) {
  std::array<array::KernelOperand, kMaxUpdateOperands> arrays;
  std::ranges::copy(operands, arrays.begin());
  const auto run = [&] {
    array::run_elementwise(*kernels.one, dtype,
                           {arrays.data(), operands.size()}, op);
  };
  // What others have changed by then can't be taken back, so that a launch that
  // is refused gets a second chance.
  try {
    run();
  } catch (const Error&) {
    run();
  }
}

// Whether the operands of each call are.
bool is_each_flat(std::span<const Array> operands, size_t noperands) {
  for (size_t i = 0; i < operands.size(); i += noperands) {
    if (!are_flat(operands.subspan(i, noperands))) return false;
  }
  return true;
}

// The dtype of the kernel: that of the operands that need not be float32, of
// which the changed ones count first.
Dtype kernel_dtype(const UpdateKernels& kernels,
                   std::initializer_list<Array> in,
                   std::initializer_list<Array> inout) {
  if (kernels.float32_operands == 0) return inout.begin()->dtype();
  size_t k = in.size();
  for (const Array& a : inout) {
    if (operand_dtype(kernels, k++, Dtype::kFloat16) == Dtype::kFloat16) {
      return a.dtype();
    }
  }
  k = 0;
  for (const Array& a : in) {
    if (operand_dtype(kernels, k++, Dtype::kFloat16) == Dtype::kFloat16) {
      return a.dtype();
    }
  }
  return Dtype::kFloat32;
}

// Splits the elements of all arrays among the threads.
void run_many_on_cpu(array::ElementwiseLoopFn* kernel,
                     std::span<const int64_t> items,
                     std::span<const int64_t> sizes,
                     std::span<const int64_t> ends, std::span<char* const> data,
                     const void* op) {
  const size_t noperands = items.size();
  cpu::parallel_for(ends.back(), kGrain, [&](int64_t begin, int64_t end) {
    array::ElementwiseArgs args;
    auto i = static_cast<size_t>(std::ranges::upper_bound(ends, begin) -
                                 ends.begin());
    for (; begin < end; begin = ends[i], ++i) {
      const int64_t first = begin - (ends[i] - sizes[i]);
      args.begin(Device(), std::min(end, ends[i]) - begin, op);
      for (size_t k = 0; k < noperands; ++k) {
        args.add(data[i * noperands + k] + first * items[k], items[k]);
      }
      kernel(args);
    }
  });
}

}  // namespace

bool UpdateBatch::is_captured(std::initializer_list<Array> inout) {
  return current_capture(inout.begin()->device()) != nullptr;
}

bool UpdateBatch::is_gated(std::initializer_list<Array> inout) const {
  return gate_ != nullptr && gate_->is_open.device() == inout.begin()->device();
}

void UpdateBatch::add(const UpdateKernels& kernels, AddedOp op,
                      std::initializer_list<Array> in,
                      std::initializer_list<Array> inout) {
  const Array& target = *inout.begin();
  const std::string_view name = kernels.one->name;
  const Device device = target.device();
  const Dtype dtype = kernel_dtype(kernels, in, inout);
  size_t k = 0;
  for (const Array& a : in) {
    check_operand(a, target, operand_dtype(kernels, k++, dtype), name);
  }
  for (const Array& a : inout) {
    array::check_writable(a, name);
    check_operand(a, target, operand_dtype(kernels, k++, dtype), name);
  }
  array::find_elementwise_kernel(*kernels.one, device, dtype);
  if (target.size() == 0) return;
  const auto added = std::span(groups_).subspan(stage_);
  const auto same = std::ranges::find_if(added, [&](const Group& group) {
    if (group.kernels.one != kernels.one || group.device != device ||
        group.dtype != dtype || group.writes.empty() != (op.write == nullptr) ||
        group.make_functors != op.make_functors) {
      return false;
    }
    return op.write != nullptr ||
           std::memcmp(group.op.data(), op.op, op.bytes) == 0;
  });
  Group& group = same != added.end() ? *same : groups_.emplace_back();
  if (group.operands.empty()) {
    group.kernels = kernels;
    group.device = device;
    group.dtype = dtype;
    group.ninputs = in.size();
    group.noperands = in.size() + inout.size();
    group.op_bytes = op.bytes;
    std::memcpy(group.op.data(), op.op, op.bytes);
    group.written_bytes = op.written_bytes;
    group.make_functors = op.make_functors;
  }
  group.operands.insert(group.operands.end(), in);
  group.operands.insert(group.operands.end(), inout);
  if (op.write != nullptr) group.writes.push_back(std::move(op.write));
}

std::vector<int64_t> UpdateBatch::item_sizes(const Group& group) {
  std::vector<int64_t> items;
  for (size_t k = 0; k < group.noperands; ++k) {
    items.push_back(item_size(group.operands[k].dtype()));
  }
  return items;
}

struct UpdateBatch::Launch {
  std::vector<int64_t> items;  // bytes of each operand's elements
  std::vector<int64_t> sizes;  // elements of each call
  std::vector<int64_t> ends;   // their sums so far
  std::vector<char*> data;
  bool do_overlap = false;
  Array functors;  // if the device reads them from memory
};

UpdateBatch::Launch UpdateBatch::prepare(const Group& group) const {
  const std::span<const Array> all = group.operands;
  const size_t noperands = group.noperands;
  Launch launch;
  launch.items = item_sizes(group);
  launch.sizes.reserve(all.size() / noperands);
  launch.ends.reserve(all.size() / noperands);
  launch.data.reserve(all.size());
  int64_t end = 0;
  for (size_t i = 0; i < all.size(); i += noperands) {
    launch.sizes.push_back(all[i].size());
    launch.ends.push_back(end += all[i].size());
    for (size_t k = 0; k < noperands; ++k) {
      launch.data.push_back(all[i + k].raw_data());
    }
  }
  launch.do_overlap =
      do_overlap(launch.sizes, launch.data, group.ninputs, launch.items);
  launch.functors = written_functors(group);
  return launch;
}

void UpdateBatch::run_group(const Group& group, const Launch& launch) const {
  const std::span<const Array> all = group.operands;
  const size_t noperands = group.noperands;
  const void* op = group.op.data();
  const bool on_host = group.device.shares_host_memory();
  const UpdateManyTable* many = group.kernels.many->find(group.device);
  const bool is_gated =
      gate_ != nullptr && gate_->is_open.device() == group.device;
  if (!group.writes.empty() || is_gated) {
    run_on_device(group, launch);
  } else if (launch.sizes.size() == 1 || (!on_host && many == nullptr) ||
             !is_each_flat(all, noperands) || launch.do_overlap) {
    for (size_t i = 0; i < all.size(); i += noperands) {
      run_one(group.kernels, group.dtype, all.subspan(i, noperands), op);
    }
  } else if (on_host) {
    run_many_on_cpu(array::find_elementwise_kernel(*group.kernels.one,
                                                   group.device, group.dtype),
                    launch.items, launch.sizes, launch.ends, launch.data, op);
  } else {
    (*many)[group.dtype](group.device, launch.sizes, launch.data, op,
                         /*written=*/nullptr, /*gate=*/nullptr);
  }
}

// With kernels that read functors from memory, or look at the gate.
void UpdateBatch::run_on_device(const Group& group,
                                const Launch& launch) const {
  group.kernels.many->on(group.device);  // throws before anything is copied
  const auto* written =
      launch.functors.defined() ? launch.functors.raw_data() : nullptr;
  const double* gate =
      gate_ != nullptr && gate_->is_open.device() == group.device
          ? gate_->is_open.data<double>()
          : nullptr;
  const size_t count = group.operands.size() / group.noperands;
  const size_t step = launch.do_overlap ? 1 : count;
  for (size_t i = 0; i < count; i += step) {
    run_flat(group,
             std::span(group.operands)
                 .subspan(i * group.noperands, step * group.noperands),
             written != nullptr ? written + i * group.op_bytes : nullptr, gate);
  }
}

// Memory of the device with a functor for each update, if they are not part of
// the launch. Each launch of a graph writes them, or their recipes.
Array UpdateBatch::written_functors(const Group& group) const {
  const auto count = static_cast<int64_t>(group.writes.size());
  if (count == 0) return {};
  const auto bytes = count * static_cast<int64_t>(group.written_bytes);
  const auto write = [writes = group.writes,
                      size = group.written_bytes](void* value) {
    auto* to = static_cast<char*>(value);
    for (const WriteOp& each : writes) {
      each(to);
      to += size;
    }
  };
  Array written;
  if (Capture* capture = current_capture(group.device)) {
    written = Array(BorrowedStorage::make(group.device,
                                          capture->value(bytes, write), bytes),
                    Dtype::kUInt8, {bytes});
  } else {
    const Array on_host = array::empty({bytes}, Dtype::kUInt8, native_device());
    write(on_host.raw_data());
    written = on_host.to_device(group.device);
  }
  if (group.make_functors == nullptr) return written;
  Array functors = array::empty({count * static_cast<int64_t>(group.op_bytes)},
                                Dtype::kUInt8, group.device);
  group.make_functors->on(group.device)(group.device, count, written.raw_data(),
                                        gate_->skipped.data<double>(),
                                        functors.raw_data());
  return functors;
}

// Kernels for many arrays need flat ones: others are copied.
void UpdateBatch::run_flat(const Group& group, std::span<const Array> operands,
                           const char* written, const double* gate) {
  std::vector<Array> flat(operands.begin(), operands.end());
  std::vector<int64_t> sizes;
  std::vector<char*> data;
  bool is_call_flat = true;
  for (size_t k = 0; k < flat.size(); ++k) {
    if (k % group.noperands == 0) {
      is_call_flat = are_flat(operands.subspan(k, group.noperands));
    }
    if (!is_call_flat) {
      flat[k] =
          array::empty(operands[k].shape(), operands[k].dtype(), group.device);
      flat[k].assign(operands[k]);
    }
    if (k % group.noperands == 0) sizes.push_back(flat[k].size());
    data.push_back(flat[k].raw_data());
  }
  group.kernels.many->on(group.device)[group.dtype](
      group.device, sizes, data, group.op.data(), written, gate);
  for (size_t k = 0; k < flat.size(); ++k) {
    const bool changes = k % group.noperands >= group.ninputs;
    if (changes && flat[k].raw_data() != operands[k].raw_data()) {
      operands[k].assign(flat[k]);
    }
  }
}

struct UpdateBatch::Pass {
  // One update, of group->operands from a position on.
  struct Call {
    const Group* group;
    const Launch* launch;
    size_t operands;
    array::ElementwiseLoopFn* kernel;
  };
  // Those that share arrays, in order.
  struct Chain {
    int64_t size;
    std::vector<Call> calls = {};
  };
  std::vector<Chain> chains;
  std::vector<int64_t> ends;  // the sums of sizes so far
};

// None for a single group, for other devices and layouts, and where memory is
// shared in another way than as whole arrays.
std::optional<UpdateBatch::Pass> UpdateBatch::one_pass(
    std::span<const Group> groups, std::span<const Launch> launches) const {
  if (groups.size() < 2) return std::nullopt;
  struct Range {
    char* begin;
    char* end;
    size_t chain;
    auto operator<=>(const Range&) const = default;
  };
  Pass pass;
  std::vector<Range> ranges;
  std::unordered_map<char*, size_t> chain_of;
  for (size_t g = 0; g < groups.size(); ++g) {
    const Group& group = groups[g];
    const Launch& launch = launches[g];
    const size_t noperands = group.noperands;
    if (!group.device.shares_host_memory() || !group.writes.empty() ||
        gate_ != nullptr || !is_each_flat(group.operands, noperands)) {
      return std::nullopt;
    }
    array::ElementwiseLoopFn* const kernel = array::find_elementwise_kernel(
        *group.kernels.one, group.device, group.dtype);
    for (size_t i = 0; i < launch.sizes.size(); ++i) {
      const auto operands =
          std::span(launch.data).subspan(i * noperands, noperands);
      size_t chain = pass.chains.size();
      for (char* data : operands) {
        const auto known = chain_of.find(data);
        if (known == chain_of.end() || known->second == chain) continue;
        if (chain != pass.chains.size()) return std::nullopt;
        chain = known->second;
      }
      if (chain == pass.chains.size()) {
        pass.chains.push_back({.size = launch.sizes[i]});
      } else if (pass.chains[chain].size != launch.sizes[i]) {
        return std::nullopt;
      }
      pass.chains[chain].calls.push_back(
          {&group, &launch, i * noperands, kernel});
      for (size_t k = 0; k < noperands; ++k) {
        chain_of[operands[k]] = chain;
        ranges.push_back({operands[k],
                          operands[k] + launch.sizes[i] * launch.items[k],
                          chain});
      }
    }
  }
  std::ranges::sort(ranges);
  const auto overlap = [](const Range& a, const Range& b) {
    return b.begin < a.end && a != b;
  };
  if (std::ranges::adjacent_find(ranges, overlap) != ranges.end()) {
    return std::nullopt;
  }
  int64_t end = 0;
  for (const Pass::Chain& chain : pass.chains) {
    pass.ends.push_back(end += chain.size);
  }
  return pass;
}

void UpdateBatch::run_pass(const Pass& pass) {
  cpu::parallel_for(pass.ends.back(), kGrain, [&](int64_t begin, int64_t end) {
    array::ElementwiseArgs args;
    auto i = static_cast<size_t>(std::ranges::upper_bound(pass.ends, begin) -
                                 pass.ends.begin());
    for (; begin < end; begin = pass.ends[i], ++i) {
      const Pass::Chain& chain = pass.chains[i];
      const int64_t before = pass.ends[i] - chain.size;
      const int64_t last = std::min(end, pass.ends[i]) - before;
      const int64_t part = chain.calls.size() > 1 ? kCached : chain.size;
      for (int64_t at = begin - before; at < last; at += part) {
        for (const Pass::Call& call : chain.calls) {
          const Launch& launch = *call.launch;
          args.begin(Device(), std::min(part, last - at),
                     call.group->op.data());
          for (size_t k = 0; k < launch.items.size(); ++k) {
            args.add(launch.data[call.operands + k] + at * launch.items[k],
                     launch.items[k]);
          }
          call.kernel(args);
        }
      }
    }
  });
}

void UpdateBatch::run() {
  const std::vector<Group> groups = std::exchange(groups_, {});
  stage_ = 0;
  // Not the functors, whose hyperparameters may change from step to step, and
  // with them how updates are grouped.
  if (WorkRecord* record = current_work_record()) {
    size_t arrays = 0;
    for (const Group& group : groups) arrays += group.operands.size();
    record->add({arrays});
  }
  const WorkRecordScope paused(nullptr);
  // All memory first: then nothing fails once an array has changed, on a GPU
  // unless it refuses a launch twice.
  std::vector<Launch> launches;
  for (const Group& group : groups) launches.push_back(prepare(group));
  if (const std::optional<Pass> pass = one_pass(groups, launches)) {
    return run_pass(*pass);
  }
  for (size_t i = 0; i < groups.size(); ++i) run_group(groups[i], launches[i]);
}

}  // namespace catena::optimizers
