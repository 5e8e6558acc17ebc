#include "catena/training/communicators/gradient_reducer.h"

#include <algorithm>

#include "catena/array/core/error.h"
#include "catena/array/index.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::training::communicators {
namespace {

// Views of a bucket are aligned for the CPU's vectors and the GPU's wide loads.
int64_t round_up(int64_t elements, Dtype dtype) {
  const int64_t step = 64 / item_size(dtype);
  return (elements + step - 1) / step * step;
}

std::string describe(const std::string& path, const Parameter& param) {
  return str(path, " ", param.dtype(), " ", param.shape(), "\n");
}

// The line of a signature that contains a position.
std::string line_at(const std::string& text, std::string::const_iterator at) {
  if (at == text.end()) return "no more";
  auto begin = at;
  while (begin != text.begin() && *(begin - 1) != '\n') --begin;
  return std::string(begin, std::find(at, text.end(), '\n'));
}

}  // namespace

GradientReducer::GradientReducer(Communicator& communicator,
                                 const BucketPolicy& policy,
                                 std::optional<double> factor)
    : communicator_(communicator),
      policy_(policy),
      factor_(factor.value_or(1.0 / communicator.size())) {
  const auto sent = policy.allreduce_grad_dtype;
  if (sent && item_size(*sent) == 2 && !communicator.sums_16_bit()) {
    raise<ValueError>("allreduce_grad: expected a communicator that sums ",
                      *sent, ", as nccl does, got ", communicator.name());
  }
}

Dtype GradientReducer::sent_dtype(Dtype dtype) const {
  const bool is_double = dtype == Dtype::kFloat64;
  if (policy_.allreduce_grad_dtype && !is_double) {
    return *policy_.allreduce_grad_dtype;
  }
  return travel_dtype(dtype, "allreduce_grad");
}

bool GradientReducer::start(const Link& link) {
  auto named = link.namedparams(/*include_uninit=*/false);
  std::erase_if(named, [](const auto& entry) {
    // Integers get no gradient.
    return !is_floating(entry.second.dtype()) || entry.second.is_frozen();
  });
  std::ranges::reverse(named);
  std::string signature;
  for (const auto& [path, param] : named) signature += describe(path, param);
  const bool changed = signature != signature_;
  if (changed) {
    compare_with_others(signature);
    signature_ = std::move(signature);
  }
  params_.clear();
  for (auto& [path, param] : named) params_.push_back(std::move(param));
  lay_out();
  return changed;
}

void GradientReducer::compare_with_others(const std::string& signature) const {
  const auto others = communicator_.allgather_bytes(signature);
  for (size_t rank = 0; rank < others.size(); ++rank) {
    if (others[rank] == signature) continue;
    const auto at = std::ranges::mismatch(signature, others[rank]);
    raise<CommunicatorError>(
        "allreduce_grad: expected the same parameters on all ranks, but rank ",
        communicator_.rank(), " has ", line_at(signature, at.in1),
        " where rank ", rank, " has ", line_at(others[rank], at.in2));
  }
}

void GradientReducer::lay_out() {
  parts_.assign(params_.size(), {});
  buckets_.clear();
  launched_ = 0;
  for (size_t i = 0; i < params_.size(); ++i) {
    const Dtype dtype = sent_dtype(params_[i].dtype());
    const Device device = params_[i].device();
    const int64_t size = params_[i].size();
    const auto end_of = [dtype](const Bucket& bucket) {
      return round_up(bucket.size, dtype);
    };
    const bool fits = !buckets_.empty() && buckets_.back().dtype == dtype &&
                      buckets_.back().device == device &&
                      (end_of(buckets_.back()) + size) * item_size(dtype) <=
                          policy_.bucket_bytes;
    if (!fits) buckets_.push_back({.dtype = dtype, .device = device});
    Bucket& bucket = buckets_.back();
    const int64_t offset = end_of(bucket);
    parts_[i] = {.bucket = buckets_.size() - 1,
                 .offset = offset,
                 .gap = offset - bucket.size};
    bucket.size = offset + size;
    ++bucket.missing;
  }
}

Array GradientReducer::slice(size_t i) const {
  const Part& part = parts_[i];
  const int64_t size = params_[i].size();
  return buckets_[part.bucket]
      .memory[{Slice(part.offset, part.offset + size)}]
      .reshape(params_[i].shape());
}

void GradientReducer::mark_ready(size_t i, const Array& gradient) {
  if (parts_[i].is_ready) return;
  copy_into_bucket(i, gradient);
  set_ready(i);
}

void GradientReducer::copy_into_bucket(size_t i, const Array& gradient) {
  const Part& part = parts_[i];
  Bucket& bucket = buckets_[part.bucket];
  if (!bucket.memory.defined()) {
    bucket.memory = array::empty({bucket.size}, bucket.dtype, bucket.device);
  }
  const Array to = slice(i);
  if (gradient.defined() && item_size(gradient.dtype()) > to.itemsize()) {
    to.assign(array::multiply(gradient, factor_).astype(to.dtype()));
  } else if (gradient.defined()) {
    // Scale before summing, so that the sum is less likely to overflow.
    array::multiply(gradient.astype(bucket.dtype, Array::CopyPolicy::kIfNeeded),
                    factor_, {.out = to});
  } else {
    to.fill(0);
  }
  // The gaps between parts are sent, too.
  if (part.gap > 0) {
    bucket.memory[{Slice(part.offset - part.gap, part.offset)}].fill(0);
  }
}

bool GradientReducer::fills_bucket(size_t i) const {
  const Array gradient = params_[i].grad();
  const Bucket& bucket = buckets_[parts_[i].bucket];
  return gradient.defined() && gradient.size() == bucket.size &&
         gradient.dtype() == bucket.dtype && gradient.is_contiguous();
}

void GradientReducer::take_in_place(size_t i) {
  const Array own = params_[i].mutable_grad();
  if (factor_ != 1) array::multiply(own, factor_, {.out = own});
  buckets_[parts_[i].bucket].memory = own.reshape({own.size()});
  set_ready(i);
}

void GradientReducer::set_ready(size_t i) {
  parts_[i].is_ready = true;
  --buckets_[parts_[i].bucket].missing;
  launch_ready_buckets();
}

void GradientReducer::launch_ready_buckets() {
  while (launched_ < buckets_.size() && buckets_[launched_].missing == 0) {
    Bucket& bucket = buckets_[launched_++];
    bucket.request = communicator_.start_allreduce(bucket.memory);
  }
}

void GradientReducer::progress() {
  for (size_t i = 0; i < launched_; ++i) {
    if (buckets_[i].request) buckets_[i].request->test();
  }
}

void GradientReducer::finish() {
  for (size_t i = 0; i < params_.size(); ++i) {
    if (parts_[i].is_ready) continue;
    if (fills_bucket(i)) {
      take_in_place(i);
    } else {
      mark_ready(i, params_[i].grad());
    }
    progress();
  }
  for (Bucket& bucket : buckets_) {
    bucket.request->wait();
    bucket.request.reset();
  }
  for (size_t i = 0; i < params_.size(); ++i) {
    params_[i].set_grad(
        slice(i).astype(params_[i].dtype(), Array::CopyPolicy::kIfNeeded));
  }
  clear();
}

void GradientReducer::clear() noexcept {
  buckets_.clear();
  parts_.clear();
  params_.clear();
  launched_ = 0;
}

}  // namespace catena::training::communicators
