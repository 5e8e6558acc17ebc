// The slot of the Fourier transform with the CPU's kernels. The stages run in
// buffers that hold several interleaved rows.

#include <algorithm>
#include <cstdint>
#include <memory>

#include "catena/array/core/memory_pool.h"
#include "catena/array/core/parallel.h"
#include "catena/array/fft/fft_kernel.h"
#include "catena/array/fft/fft_plan.h"
#include "catena/array/kernels/kernel_definition.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

using namespace array::fft;  // NOLINT(google-build-using-namespace)

// The number of elements per buffer: the buffers fit an L2 cache unless a
// single row is larger.
constexpr int64_t kBatchNumbers = 16384;
constexpr int64_t kMaxRows = 16;
// The minimum number of elements per thread.
constexpr int64_t kGrain = 8192;

// Bytes between buffers, so that equal indices do not share a set of the L1
// cache: a length of 1024 becomes three times as fast.
constexpr int64_t kGap = 1088;

// Two pairs of buffers from the pool.
template <class T>
class Buffers {
 public:
  explicit Buffers(int64_t numbers)
      : numbers_(numbers + kGap / static_cast<int64_t>(sizeof(T))),
        data_(4 * numbers_) {}

  T* operator[](int i) const { return data_.get() + i * numbers_; }

 private:
  int64_t numbers_;
  catena::cpu::PoolBuffer<T> data_;
};

template <class T>
class Transform {
 public:
  explicit Transform(const FftArgs& args)
      : args_(args),
        plan_(fft_plan<T>(args.length)),
        loops_(fft_loops<T>()),
        length_(args.length),
        // The inverse is the transform with real and imaginary parts exchanged.
        in_{pointer<const T>(args.inverse ? args.imag : args.real),
            pointer<const T>(args.inverse ? args.real : args.imag)},
        out_{pointer<T>(args.inverse ? args.imag_out : args.real_out),
             pointer<T>(args.inverse ? args.real_out : args.imag_out)},
        scale_(args.inverse ? T(1) / static_cast<T>(args.length) : T(1)) {}

  void run() const {
    const int64_t work = plan_->smooth().length();
    const int64_t side = std::min(
        std::clamp<int64_t>(kBatchNumbers / work, 1, kMaxRows), args_.rows);
    const int64_t batches = (args_.rows + side - 1) / side;
    catena::cpu::parallel_for(
        batches, std::max<int64_t>(1, kGrain / (side * work)),
        [&](int64_t begin, int64_t end) {
          const Buffers<T> buffers(side * work);
          for (int64_t batch = begin; batch < end; ++batch) {
            const int64_t first = batch * side;
            run_rows(buffers, first, std::min(side, args_.rows - first));
          }
        });
  }

 private:
  template <class To, class From>
  static To* pointer(From* from) {
    return reinterpret_cast<To*>(from);
  }

  int run_stages(const Buffers<T>& buffers, int first, int64_t rows) const {
    return loops_.transform(
               {.stages = plan_->smooth().stages(),
                .length = plan_->smooth().length(),
                .rows = rows,
                .real = {buffers[first], buffers[2 - first]},
                .imag = {buffers[first + 1], buffers[3 - first]}}) == 0
               ? first
               : 2 - first;
  }

  void run_rows(const Buffers<T>& buffers, int64_t first, int64_t rows) const {
    const int64_t offset = first * length_;
    if (!plan_->is_convolution()) {
      for (int part = 0; part < 2; ++part) {
        loops_.transpose(in_[part] + offset, length_, buffers[part], rows, rows,
                         length_, T(1));
      }
      const int result = run_stages(buffers, 0, rows);
      for (int part = 0; part < 2; ++part) {
        loops_.transpose(buffers[result + part], rows, out_[part] + offset,
                         length_, length_, rows, scale_);
      }
      return;
    }
    load_chirped(offset, rows, buffers[0], buffers[1]);
    int at = run_stages(buffers, 0, rows);
    // The inverse is the transform with real and imaginary parts exchanged.
    filter(rows, buffers[at], buffers[at + 1]);
    at = run_stages(buffers, at, rows);
    store_chirped(buffers[at + 1], buffers[at], rows, offset);
  }

  // Multiplies the rows by the chirp and pads them with zeros.
  void load_chirped(int64_t offset, int64_t rows, T* re, T* im) const {
    for (int64_t i = 0; i < length_; ++i) {
      const T c = plan_->chirp_real()[i];
      const T s = plan_->chirp_imag()[i];
      for (int64_t r = 0; r < rows; ++r) {
        const T x = in_[0][offset + r * length_ + i];
        const T y = in_[1][offset + r * length_ + i];
        re[i * rows + r] = x * c - y * s;
        im[i * rows + r] = x * s + y * c;
      }
    }
    const int64_t used = length_ * rows;
    const int64_t all = plan_->smooth().length() * rows;
    std::fill(re + used, re + all, T(0));
    std::fill(im + used, im + all, T(0));
  }

  // Multiplies by the transformed chirp and exchanges real and imaginary parts.
  void filter(int64_t rows, T* re, T* im) const {
    for (int64_t i = 0; i < plan_->smooth().length(); ++i) {
      const T c = plan_->filter_real()[i];
      const T s = plan_->filter_imag()[i];
      for (int64_t r = i * rows; r < (i + 1) * rows; ++r) {
        const T x = re[r];
        const T y = im[r];
        re[r] = x * s + y * c;
        im[r] = x * c - y * s;
      }
    }
  }

  void store_chirped(const T* re, const T* im, int64_t rows,
                     int64_t offset) const {
    for (int64_t i = 0; i < length_; ++i) {
      const T c = plan_->chirp_real()[i] * scale_;
      const T s = plan_->chirp_imag()[i] * scale_;
      for (int64_t r = 0; r < rows; ++r) {
        const T x = re[i * rows + r];
        const T y = im[i * rows + r];
        out_[0][offset + r * length_ + i] = x * c - y * s;
        out_[1][offset + r * length_ + i] = x * s + y * c;
      }
    }
  }

  const FftArgs& args_;
  std::shared_ptr<const FftPlan<T>> plan_;
  const FftLoopsOf<T>& loops_;
  int64_t length_;
  const T* in_[2];
  T* out_[2];
  T scale_;
};

}  // namespace

// The loops inside are chosen by instruction set.
template <class T>
struct Loop<Fft, Fft, T> {
  static void run(const FftArgs& args) { Transform<T>(args).run(); }
};

extern const auto kFftKernels = register_kernels<Fft>();

}  // namespace catena::kernels::CATENA_BACKEND
