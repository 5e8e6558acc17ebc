// The CPU's kernels of take and scatter. They only move and add, so memory
// bandwidth is the limit and one compilation serves every instruction set.

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "catena/array/core/parallel.h"
#include "catena/array/core/stream_bytes.h"
#include "catena/array/core/strided_copy.h"
#include "catena/array/kernels/kernel_definition.h"
#include "catena/array/kernels/kernel_type.h"
#include "catena/array/take_kernel.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

// Below this many bytes another thread costs more than it saves.
constexpr int64_t kGrainBytes = 128 << 10;

constexpr int64_t kLine = 64;

// Prefetches the slice some indices ahead, which the hardware cannot predict,
// up to the amount that arrives in the meantime.
constexpr int64_t kAhead = 10;
constexpr int64_t kAheadBytes = 1024;

// The number of bytes to prefetch per slice; 0 for slices below a cache line:
// the processor already fetches several of them at once.
int64_t ahead_bytes(const IndexedArgs& args) {
  return args.inner_bytes < kLine ? 0 : std::min(args.inner_bytes, kAheadBytes);
}

// `skips` unless the mode always finds a slice.
template <bool skips = false, class Copy>
void take_rows(const IndexedArgs& args, Copy copy) {
  const int64_t ahead = ahead_bytes(args);
  const int64_t grain = std::max<int64_t>(1, kGrainBytes / args.inner_bytes);
  catena::cpu::parallel_for(
      args.outer * args.count, grain, [&](int64_t begin, int64_t end) {
        int64_t o = begin / args.count;
        int64_t i = begin % args.count;
        char* to = args.values + begin * args.inner_bytes;
        const auto slice_at = [&](int64_t k) -> const char* {
          // Without this the compiler keeps the mode's tests in the loop.
          if (!skips && args.mode == IndexMode::kSkip) __builtin_unreachable();
          const int64_t slice =
              resolve_index(args.indices[k], args.extent, args.mode);
          if constexpr (skips) {
            if (slice < 0) return nullptr;
          }
          return args.array + o * args.outer_stride + slice * args.axis_stride;
        };
        for (int64_t row = begin; row < end; ++row) {
          if (ahead > 0 && i + kAhead < args.count) {
            const char* const later = slice_at(i + kAhead);
            if (!skips || later != nullptr) {
              cpu::prefetch_rows(later, 0, 1, ahead);
            }
          }
          const char* const from = slice_at(i);
          if (skips && from == nullptr) {
            std::memset(to, 0, static_cast<size_t>(args.inner_bytes));
          } else {
            copy(to, from);
          }
          to += args.inner_bytes;
          if (++i == args.count) {
            i = 0;
            ++o;
          }
        }
        cpu::stream_fence();
      });
}

// A copy of constant size compiles to a single instruction.
template <int64_t bytes>
void copy_word(char* to, const char* from) {
  std::memcpy(to, from, bytes);
}

// Slices of any size.
template <bool skips>
void take_slices(const IndexedArgs& args) {
  const auto values = reinterpret_cast<uintptr_t>(args.values);
  if (args.outer * args.count * args.inner_bytes >= cpu::kStreamBytes &&
      args.inner_bytes % kLine == 0 && values % kLine == 0) {
    return take_rows<skips>(args, [&](char* to, const char* from) {
      cpu::stream_bytes(to, from, args.inner_bytes);
    });
  }
  take_rows<skips>(args, [&](char* to, const char* from) {
    std::memcpy(to, from, args.inner_bytes);
  });
}

void take(const IndexedArgs& args, int64_t /*item_size*/) {
  if (args.mode == IndexMode::kSkip) return take_slices<true>(args);
  switch (args.inner_bytes) {
    case 1:
      return take_rows(args, copy_word<1>);
    case 2:
      return take_rows(args, copy_word<2>);
    case 4:
      return take_rows(args, copy_word<4>);
    case 8:
      return take_rows(args, copy_word<8>);
  }
  take_slices<false>(args);
}

int64_t find_bad_index(Device /*device*/, const int64_t* indices, int64_t count,
                       int64_t extent) {
  const auto is_bad = [extent](int64_t index) {
    return index < -extent || index >= extent;
  };
  return std::any_of(indices, indices + count, is_bad)
             ? std::find_if(indices, indices + count, is_bad) - indices
             : -1;
}

struct Add {
  template <class T>
  void operator()(T& to, T value) const {
    if constexpr (std::is_same_v<T, bool>) {
      to = to || value;
    } else if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      to = static_cast<T>(static_cast<U>(to) + static_cast<U>(value));
    } else {
      to += value;
    }
  }
};

struct Update {
  template <class T>
  void operator()(T& to, T value) const {
    to = value;
  }
};

struct Range {
  int64_t begin;
  int64_t end;
};

// Applies all values for the elements in these ranges, in the order of the
// indices. Matching indices are collected a few at a time, since the branch is
// unpredictable.
template <class T, class Op>
void scatter_part(const IndexedArgs& args, Range outer, Range slices,
                  Range inner) {
  constexpr int64_t kLooked = 1024;
  int64_t own[kLooked];
  char* places[kLooked];
  const int64_t width = args.inner_bytes / static_cast<int64_t>(sizeof(T));
  const int64_t ahead = ahead_bytes(args);
  for (int64_t o = outer.begin; o < outer.end; ++o) {
    const T* values =
        reinterpret_cast<const T*>(args.values) + o * args.count * width;
    char* array = args.array + o * args.outer_stride;
    for (int64_t begin = 0; begin < args.count; begin += kLooked) {
      const int64_t end = std::min(begin + kLooked, args.count);
      int64_t count = 0;
      for (int64_t i = begin; i < end; ++i) {
        const int64_t slice =
            resolve_index(args.indices[i], args.extent, args.mode);
        own[count] = i;
        places[count] = array + slice * args.axis_stride;
        count += (slice >= slices.begin) & (slice < slices.end);
      }
      for (int64_t k = 0; k < count; ++k) {
        if (ahead > 0 && k + kAhead < count) {
          cpu::prefetch_rows(places[k + kAhead], 0, 1, ahead);
          cpu::prefetch_rows(
              reinterpret_cast<const char*>(values + own[k + kAhead] * width),
              0, 1, ahead);
        }
        T* to = reinterpret_cast<T*>(places[k]);
        const T* from = values + own[k] * width;
        for (int64_t j = inner.begin; j < inner.end; ++j) Op()(to[j], from[j]);
      }
    }
  }
}

// Threads split the elements that are written, never the indices.
template <class T, class Op>
void scatter(const IndexedArgs& args) {
  const int64_t width = args.inner_bytes / static_cast<int64_t>(sizeof(T));
  const Range outer{0, args.outer};
  const Range slices{0, args.extent};
  const Range inner{0, width};
  const int64_t bytes = args.outer * args.count * args.inner_bytes;
  const auto split = [&](Range whole, auto part) {
    const int64_t grain = std::max<int64_t>(
        1, whole.end * kGrainBytes / std::max(bytes, whole.end));
    catena::cpu::parallel_for(whole.end, grain,
                              [&](int64_t begin, int64_t end) {
                                part(Range{begin, end});
                              });
  };
  if (args.outer >= get_num_threads()) {
    split(outer,
          [&](Range own) { scatter_part<T, Op>(args, own, slices, inner); });
  } else if (width >= 1024) {
    split(inner,
          [&](Range own) { scatter_part<T, Op>(args, outer, slices, own); });
  } else {
    split(slices,
          [&](Range own) { scatter_part<T, Op>(args, outer, own, inner); });
  }
}

}  // namespace

template <>
constinit const TakeKernels Kernels<TakeKernels>::table = {take,
                                                           find_bad_index};
template <class T>
struct Loop<ScatterFamily, ScatterAdd, T> {
  static constexpr ScatterKernel* run = scatter<T, Add>;
};
template <class T>
struct Loop<ScatterFamily, ScatterUpdate, T> {
  static constexpr ScatterKernel* run = scatter<BitsOf<T>, Update>;
};

extern const auto kScatterKernels =
    register_kernels<ScatterFamily>(TypeList<ScatterAdd, ScatterUpdate>());

}  // namespace catena::kernels::CATENA_BACKEND
