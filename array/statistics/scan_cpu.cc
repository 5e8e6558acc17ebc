// The slots of running sums and products with the CPU's kernels. Each element
// waits for the one before, so that one compilation serves every instruction
// set.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "catena/array/cpu/parallel.h"
#include "catena/array/statistics/scan_kernel.h"

namespace catena::array {
namespace cpu {
namespace {

// Elements to a thread at least.
constexpr int64_t kGrain = 32768;
// Columns that are scanned side by side.
constexpr int64_t kColumns = 512;

template <class Op, class T>
class Scan {
  using State = typename Op::template State<T>;

 public:
  explicit Scan(const ScanArgs& args)
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

  // A few long strips: what each block comes to, then what comes before each,
  // then the blocks.
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

  static State element(T x) {
    return static_cast<State>(
        Op::template map<T>(static_cast<ComputeOf<T>>(x), 0));
  }

  void reduce_block(int64_t strip, int64_t block, State* total) const {
    for_each_row(strip, block, [&](int64_t at, int64_t n) {
      for (int64_t j = 0; j < n; ++j) {
        total[j] = Op::combine(total[j], element(input_[at + j]));
      }
    });
  }

  // Adds the block's total to the carry.
  void scan_block(int64_t strip, int64_t block, State* carry) const {
    State local[kColumns];
    start(local);
    int64_t width = 0;
    if (args_.inner == 1) {
      // The same, with the running result in a register.
      State run = local[0];
      for_each_row(strip, block, [&](int64_t at, int64_t) {
        run = Op::combine(run, element(input_[at]));
        output_[at] = result(Op::combine(carry[0], run));
      });
      carry[0] = Op::combine(carry[0], run);
      return;
    }
    for_each_row(strip, block, [&](int64_t at, int64_t n) {
      width = n;
      for (int64_t j = 0; j < n; ++j) {
        local[j] = Op::combine(local[j], element(input_[at + j]));
        output_[at + j] = result(Op::combine(carry[j], local[j]));
      }
    });
    for (int64_t j = 0; j < width; ++j) {
      carry[j] = Op::combine(carry[j], local[j]);
    }
  }

  static T result(State s) {
    return static_cast<T>(static_cast<ComputeOf<T>>(s));
  }

  const ScanArgs& args_;
  const T* input_;
  T* output_;
  int64_t tiles_;
  int64_t blocks_;
};

template <class Op, class T>
void scan(const ScanArgs& args) {
  Scan<Op, T>(args).run();
}

template <class Op, class... Ts>
constexpr ScanTable table_of(TypeList<Ts...>) {
  ScanTable table;
  (table.set(dtype_of<Ts>, scan<Op, Ts>), ...);
  return table;
}

constexpr ScanTable kCumsum = table_of<SumOp>(ScanTypes());
constexpr ScanTable kCumprod = table_of<ProdOp>(ScanTypes());

}  // namespace
}  // namespace cpu

constinit KernelSlot<ScanTable> cumsum_slot = {
    "cumsum", {&cpu::kCumsum, &cpu::kCumsum, &cpu::kCumsum, nullptr}};
constinit KernelSlot<ScanTable> cumprod_slot = {
    "cumprod", {&cpu::kCumprod, &cpu::kCumprod, &cpu::kCumprod, nullptr}};

}  // namespace catena::array
