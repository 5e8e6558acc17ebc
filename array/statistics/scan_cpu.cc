// The slots of cumulative sums and products with the CPU's kernels. Columns are
// scanned in parallel; in a row each element depends on the one before, unless
// running_sums has a vectorized kernel. One compilation thus serves every
// instruction set.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

#include "catena/array/core/parallel.h"
#include "catena/array/core/stream_bytes.h"
#include "catena/array/core/strided_copy.h"
#include "catena/array/kernels/kernel_definition.h"
#include "catena/array/statistics/running_sums.h"
#include "catena/array/statistics/scan_kernel.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

// The minimum number of elements per thread.
constexpr int64_t kGrain = 32768;
// The number of columns scanned together.
constexpr int64_t kColumns = 512;

template <class Op, class T>
using StateOf = typename Op::template State<T>;

template <class Op, class T>
StateOf<Op, T> state_of(T x) {
  return static_cast<StateOf<Op, T>>(
      Op::template map<T>(static_cast<ComputeOf<T>>(x), 0));
}

template <class T, class State>
T result_of(State s) {
  return static_cast<T>(static_cast<ComputeOf<T>>(s));
}

// Contiguous rows.
template <class Op, class T>
class RowScan {
  using State = StateOf<Op, T>;

 public:
  explicit RowScan(const ScanArgs& args)
      : rows_(args.outer),
        extent_(args.extent),
        blocks_((args.extent + kScanBlock - 1) / kScanBlock),
        input_(reinterpret_cast<const T*>(args.input)),
        output_(reinterpret_cast<T*>(args.output)),
        non_temporal_(can_stream(args)) {}

  void run() const {
    if (blocks_ > 1 && rows_ < get_num_threads()) return run_blocks();
    catena::cpu::parallel_for(
        rows_, std::max<int64_t>(1, kGrain / extent_),
        [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row) {
            auto before = Op::template identity<State>();
            for (int64_t block = 0; block < blocks_; ++block) {
              const State total = scan_block(row, block, before);
              before = Op::combine(before, total);
            }
          }
          if (non_temporal_) cpu::stream_fence();
        });
  }

 private:
  static constexpr bool kIsWord =
      std::is_integral_v<T> && sizeof(T) == sizeof(int64_t);
  // Whether running_sums supports the type; signedness is irrelevant for sums
  // that wrap around.
  static constexpr bool kBySums = std::is_same_v<Op, RunningSumOp> &&
                                  (std::is_floating_point_v<T> || kIsWord);

  static const auto& sums() {
    const RunningSums& all = kernel_slot<RunningSums>.on(Device());
    if constexpr (std::is_same_v<T, float>) {
      return all.floats;
    } else if constexpr (std::is_same_v<T, double>) {
      return all.doubles;
    } else {
      return all.integers;
    }
  }
  using Word = std::conditional_t<kIsWord, uint64_t, T>;

  static bool can_stream(const ScanArgs& args) {
    constexpr int64_t kSize = sizeof(T);
    return kBySums && args.outer * args.extent * kSize >= cpu::kStreamBytes &&
           args.extent * kSize % 64 == 0 && args.input != args.output &&
           reinterpret_cast<uintptr_t>(args.output) % 64 == 0;
  }

  // Each block is read from memory once: its thread computes the total, waits
  // for the carry, passes the next carry on, and scans the block while it is in
  // the cache. Blocks are taken in order, so that the thread waited for is
  // always running.
  void run_blocks() const {
    struct alignas(64) Link {
      State before;
      std::atomic<bool> is_known = false;
    };
    const int64_t count = rows_ * blocks_;
    std::vector<Link> links(static_cast<size_t>(count));
    std::atomic<int64_t> next = 0;
    const auto work = [&](int64_t, int64_t) {
      for (int64_t i = next++; i < count; i = next++) {
        const int64_t row = i / blocks_;
        const int64_t block = i % blocks_;
        const State total = reduce_block(row, block);
        Link& link = links[static_cast<size_t>(i)];
        if (block == 0) {
          link.before = Op::template identity<State>();
        } else {
          while (!link.is_known.load(std::memory_order_acquire)) {
            std::this_thread::yield();
          }
        }
        if (block + 1 < blocks_) {
          Link& following = links[static_cast<size_t>(i + 1)];
          following.before = Op::combine(link.before, total);
          following.is_known.store(true, std::memory_order_release);
        }
        scan_block(row, block, link.before);
      }
      if (non_temporal_) cpu::stream_fence();
    };
    catena::cpu::parallel_for(std::min<int64_t>(get_num_threads(), count), 1,
                              work);
  }

  int64_t start_of(int64_t row, int64_t block) const {
    return row * extent_ + block * kScanBlock;
  }
  int64_t length_of(int64_t block) const {
    return std::min(kScanBlock, extent_ - block * kScanBlock);
  }

  State reduce_block(int64_t row, int64_t block) const {
    const T* x = input_ + start_of(row, block);
    const int64_t n = length_of(block);
    if constexpr (kBySums) {
      return static_cast<State>(
          sums().total(reinterpret_cast<const Word*>(x), n));
    } else {
      auto total = Op::template identity<State>();
      for (int64_t i = 0; i < n; ++i) {
        total = Op::combine(total, state_of<Op>(x[i]));
      }
      return total;
    }
  }

  // Returns the block's total.
  State scan_block(int64_t row, int64_t block, State before) const {
    const T* x = input_ + start_of(row, block);
    T* out = output_ + start_of(row, block);
    const int64_t n = length_of(block);
    if constexpr (kBySums) {
      using WordState = std::conditional_t<kIsWord, uint64_t, State>;
      return static_cast<State>(sums().scan(
          static_cast<WordState>(before), reinterpret_cast<const Word*>(x), n,
          reinterpret_cast<Word*>(out), non_temporal_));
    } else {
      auto run = Op::template identity<State>();
      for (int64_t i = 0; i < n; ++i) {
        run = Op::combine(run, state_of<Op>(x[i]));
        out[i] = result_of<T>(Op::combine(before, run));
      }
      return run;
    }
  }

  int64_t rows_;
  int64_t extent_;
  int64_t blocks_;
  const T* input_;
  T* output_;
  bool non_temporal_;
};

// Columns, several at a time.
template <class Op, class T>
class ColumnScan {
  using State = StateOf<Op, T>;

 public:
  explicit ColumnScan(const ScanArgs& args)
      : args_(args),
        input_(reinterpret_cast<const T*>(args.input)),
        output_(reinterpret_cast<T*>(args.output)),
        tiles_((args.inner + kColumns - 1) / kColumns),
        blocks_((args.extent + kScanBlock - 1) / kScanBlock) {}

  void run() const {
    const int64_t strips = args_.outer * tiles_;
    const int64_t strip_size = args_.extent * std::min(args_.inner, kColumns);
    if (blocks_ > 1 && strips < get_num_threads()) return run_blocks();
    catena::cpu::parallel_for(
        strips, std::max<int64_t>(1, kGrain / strip_size),
        [&](int64_t begin, int64_t end) {
          for (int64_t strip = begin; strip < end; ++strip) {
            State carry[kColumns];
            start(carry);
            for (int64_t block = 0; block < blocks_; ++block) {
              scan_block(strip, block, carry);
            }
          }
        });
  }

 private:
  static void start(State* states) {
    std::fill_n(states, kColumns, Op::template identity<State>());
  }

  // A few long strips: first the total of each block, then the carries, then
  // the blocks.
  void run_blocks() const {
    const int64_t strips = args_.outer * tiles_;
    const int64_t width = std::min(args_.inner, kColumns);
    std::vector<State> carries(static_cast<size_t>(strips * blocks_ * width));
    const auto carry_of = [&](int64_t i) { return carries.data() + i * width; };
    catena::cpu::parallel_for(strips * blocks_, 1,
                              [&](int64_t begin, int64_t end) {
                                for (int64_t i = begin; i < end; ++i) {
                                  State total[kColumns];
                                  start(total);
                                  reduce_block(i / blocks_, i % blocks_, total);
                                  std::copy_n(total, width, carry_of(i));
                                }
                              });
    for (int64_t strip = 0; strip < strips; ++strip) {
      State before[kColumns];
      start(before);
      for (int64_t block = 0; block < blocks_; ++block) {
        State* carry = carry_of(strip * blocks_ + block);
        for (int64_t j = 0; j < width; ++j) {
          const State total = carry[j];
          carry[j] = before[j];
          before[j] = Op::combine(before[j], total);
        }
      }
    }
    catena::cpu::parallel_for(
        strips * blocks_, 1, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            scan_block(i / blocks_, i % blocks_, carry_of(i));
          }
        });
  }

  // The columns of a strip and the positions of a block.
  template <class Visit>
  void for_each_row(int64_t strip, int64_t block, Visit visit) const {
    const int64_t column = strip % tiles_ * kColumns;
    const int64_t n = std::min(kColumns, args_.inner - column);
    const int64_t begin = block * kScanBlock;
    const int64_t end = std::min(args_.extent, begin + kScanBlock);
    int64_t at = (strip / tiles_ * args_.extent + begin) * args_.inner + column;
    for (int64_t i = begin; i < end; ++i, at += args_.inner) visit(at, n);
  }

  void reduce_block(int64_t strip, int64_t block, State* total) const {
    for_each_row(strip, block, [&](int64_t at, int64_t n) {
      for (int64_t j = 0; j < n; ++j) {
        total[j] = Op::combine(total[j], state_of<Op>(input_[at + j]));
      }
    });
  }

  // Adds the block's total to the carry.
  void scan_block(int64_t strip, int64_t block, State* carry) const {
    State local[kColumns];
    start(local);
    int64_t width = 0;
    for_each_row(strip, block, [&](int64_t at, int64_t n) {
      width = n;
      for (int64_t j = 0; j < n; ++j) {
        local[j] = Op::combine(local[j], state_of<Op>(input_[at + j]));
        output_[at + j] = result_of<T>(Op::combine(carry[j], local[j]));
      }
    });
    for (int64_t j = 0; j < width; ++j) {
      carry[j] = Op::combine(carry[j], local[j]);
    }
  }

  const ScanArgs& args_;
  const T* input_;
  T* output_;
  int64_t tiles_;
  int64_t blocks_;
};

template <class Op, class T>
void scan(const ScanArgs& args) {
  if (args.inner == 1) {
    RowScan<Op, T>(args).run();
  } else {
    ColumnScan<Op, T>(args).run();
  }
}

}  // namespace

template <class Op, class T>
struct Loop<ScanFamily, Op, T> {
  static constexpr ScanKernel* run = scan<typename Op::Combine, T>;
};

extern const auto kScanKernels =
    register_kernels<ScanFamily>(TypeList<Cumsum, Cumprod>());

}  // namespace catena::kernels::CATENA_BACKEND
