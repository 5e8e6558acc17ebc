// Float matrix products by OpenBLAS, oneDNN and our own kernels.

#include <cblas.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

#include "catena/array/core/error.h"
#include "catena/array/core/parallel.h"
#include "catena/array/cpu/thread_limit.h"
#include "catena/array/linalg/gemm_cpu.h"
#include "catena/array/linalg/packed_gemm.h"
#include "catena/array/linalg/row_gemm.h"
#include "catena/array/linalg/skinny_gemm.h"
#include "catena/array/onednn/description.h"
#include "catena/array/onednn/operation.h"
#include "catena/array/onednn/primitive.h"

namespace catena::kernels::CATENA_BACKEND {

namespace onednn = ::catena::cpu::onednn;

namespace {

// Below this many multiplications OpenBLAS, which has kernels for small
// matrices, is fastest. Below the larger bound, about 5 microseconds of work, a
// second thread costs more than it saves.
constexpr int64_t kWorthOneDnn = int64_t{1} << 18;
constexpr int64_t kWorthThreads = int64_t{1} << 19;
// Above this many, half a millisecond, threads are worth waiting for.
constexpr int64_t kWorthWaiting = int64_t{1} << 24;

// oneDNN's sgemm packs the second matrix if it is transposed or has so few
// columns that most of a block is empty; its matmul primitive does not. With
// many rows the cost is negligible, and very few rows have other code paths.
constexpr int64_t kNarrow = 16;
constexpr int64_t kMaxSkinnyRows = 768;

// Above this many elements B does not fit a core's caches, and reading it
// dominates if A has few rows.
constexpr int64_t kExceedsCache = int64_t{1} << 20;
// Above this many the cost of transposing A is negligible, for few rows and for
// more.
constexpr int64_t kMinElementsToTranspose = int64_t{1} << 16;
constexpr int64_t kMinElementsToTransposeMore = int64_t{1} << 18;

// BLAS uses 32-bit integers.
blasint to_blas(int64_t value) {
  if (value > std::numeric_limits<blasint>::max()) {
    raise<ShapeError>("gemm: expected extents and strides of at most ",
                      std::numeric_limits<blasint>::max(), ", got ", value);
  }
  return static_cast<blasint>(value);
}

CBLAS_TRANSPOSE blas_order(const GemmArgs::Matrix& x) {
  return x.transposed ? CblasTrans : CblasNoTrans;
}

// OpenBLAS's routines for T.
template <class T>
constexpr auto kBlasGemm = cblas_sgemm;
template <>
constexpr auto kBlasGemm<double> = cblas_dgemm;
template <class T>
constexpr auto kBlasGemv = cblas_sgemv;
template <>
constexpr auto kBlasGemv<double> = cblas_dgemv;

// Calls multiply(part, a, b, c) for products, without a bias, of some columns,
// or rows, of C, in parallel.
template <class Multiply>
void in_parts(const GemmArgs& args, int64_t parts, const char* a, const char* b,
              char* c, const Multiply& multiply) {
  constexpr int64_t kAlign = 16;
  const bool by_columns = args.n >= args.m;
  const int64_t extent = by_columns ? args.n : args.m;
  const int64_t step =
      ((extent + parts - 1) / parts + kAlign - 1) / kAlign * kAlign;
  const auto offset = [&](const GemmArgs::Matrix& x, int64_t begin,
                          bool is_along_rows) {
    const int64_t stride = x.transposed == is_along_rows ? 1 : x.ld;
    return begin * stride * item_size(args.dtype);
  };
  const auto multiply_part = [&](int64_t begin) {
    const int64_t size = std::min(step, extent - begin);
    GemmArgs part = args;
    (by_columns ? part.n : part.m) = size;
    multiply(part, by_columns ? a : a + offset(args.a, begin, true),
             by_columns ? b + offset(args.b, begin, false) : b,
             c + offset(args.c, begin, !by_columns));
  };
  cpu::parallel_for((extent + step - 1) / step, 1,
                    [&](int64_t first, int64_t last) {
                      for (int64_t i = first; i < last; ++i) {
                        multiply_part(i * step);
                      }
                    });
}

// y = alpha M x + beta y, where M is A, or with a single row the transpose of
// B.
template <class T>
void call_gemv(const GemmArgs& args, const char* a, const char* b, char* c) {
  const bool is_row = args.m == 1;
  const GemmArgs::Matrix& matrix = is_row ? args.b : args.a;
  const GemmArgs::Matrix& vector = is_row ? args.a : args.b;
  const int64_t size = is_row ? args.n : args.m;
  const bool transposed = matrix.transposed != is_row;
  const int64_t x_stride = vector.transposed == is_row ? vector.ld : 1;
  const int64_t y_stride = is_row ? 1 : args.c.ld;
  T* const y = reinterpret_cast<T*>(c);
  double beta = args.beta;
  if (beta == 0) {  // some versions of gemv would read y
    for (int64_t i = 0; i < size; ++i) y[i * y_stride] = 0;
    beta = 1;
  }
  kBlasGemv<T>(CblasRowMajor, transposed ? CblasTrans : CblasNoTrans,
               to_blas(transposed ? args.k : size),
               to_blas(transposed ? size : args.k), static_cast<T>(args.alpha),
               reinterpret_cast<const T*>(is_row ? b : a), to_blas(matrix.ld),
               reinterpret_cast<const T*>(is_row ? a : b), to_blas(x_stride),
               static_cast<T>(beta), y, to_blas(y_stride));
}

// Whether to multiply a matrix and a vector. OpenBLAS's products of two
// matrices were measured 3 to 9 times slower in this case.
bool is_gemv(const GemmArgs& args) { return args.m == 1 || args.n == 1; }

template <class T>
void call_blas(const GemmArgs& args, const char* a, const char* b, char* c) {
  const cpu::ThreadLimit limit(1);
  if (is_gemv(args)) return call_gemv<T>(args, a, b, c);
  kBlasGemm<T>(CblasRowMajor, blas_order(args.a), blas_order(args.b),
               to_blas(args.m), to_blas(args.n), to_blas(args.k),
               static_cast<T>(args.alpha), reinterpret_cast<const T*>(a),
               to_blas(args.a.ld), reinterpret_cast<const T*>(b),
               to_blas(args.b.ld), static_cast<T>(args.beta),
               reinterpret_cast<T*>(c), to_blas(args.c.ld));
}

char dnnl_order(const GemmArgs::Matrix& x) { return x.transposed ? 'T' : 'N'; }

void call_dnnl(const GemmArgs& args, int threads, const char* a, const char* b,
               char* c) {
  const cpu::ThreadLimit limit(threads);
  const dnnl_status_t status = dnnl_sgemm(
      dnnl_order(args.a), dnnl_order(args.b), args.m, args.n, args.k,
      static_cast<float>(args.alpha), reinterpret_cast<const float*>(a),
      args.a.ld, reinterpret_cast<const float*>(b), args.b.ld,
      static_cast<float>(args.beta), reinterpret_cast<float*>(c), args.c.ld);
  if (status == dnnl_out_of_memory) {
    raise<OutOfMemoryError>("gemm: no memory for oneDNN's buffers");
  }
  if (status != dnnl_success) {
    raise<NotImplementedError>("gemm: oneDNN rejected the product with status ",
                               static_cast<int>(status));
  }
}

// Whether oneDNN's float32 products have the same bits for any number of
// threads, which was seen only with AVX-512. Without it, ours are used.
#ifdef __x86_64__
const bool kBitsIgnoreThreads = __builtin_cpu_supports("avx512f");
#else
constexpr bool kBitsIgnoreThreads = false;
#endif

bool has_amx() {
  static const bool result =
      ::dnnl::get_effective_cpu_isa() >= ::dnnl::cpu_isa::avx512_core_amx;
  return result;
}

// Whether oneDNN's primitive would share the terms of sums of bfloat16 products
// among threads, whose number then decides about the bits. With AMX it does so
// for products of many shapes.
bool shares_terms(const GemmArgs& args) {
  if (has_amx()) return args.m * args.n * args.k >= kWorthThreads;
  constexpr int64_t kMinTerms = 2048;
  return args.a.transposed && args.k >= kMinTerms &&
         std::has_single_bit(static_cast<uint64_t>(args.k));
}

// Into how many parts, of one thread each, such a product is divided. More
// would be slower by up to a half, with A packed again for each.
int64_t parts_of(const GemmArgs& args) {
  const int64_t extent = has_amx() ? 384 : 192;
  const auto parts = static_cast<uint64_t>(std::max(args.m, args.n) / extent);
  return std::clamp<int64_t>(static_cast<int64_t>(std::bit_floor(parts)), 2,
                             16);
}

// Whether to use RowGemm, measured up to 1.5 times as fast in these cases.
bool suits_row_gemm(const GemmArgs& args) {
  return RowGemm::suits(args) &&
         (args.m == 1 || args.n * args.k >= kExceedsCache);
}

// Whether to use SkinnyGemm, measured up to 1.8 times as fast in these cases:
// oneDNN prefetches B too late, and packs a transposed B for 16 rows or more.
bool suits_skinny_gemm(const GemmArgs& args) {
  if (args.a.transposed) return false;
  const int64_t elements = args.n * args.k;
  if (!kBitsIgnoreThreads) {  // otherwise PackedGemm is faster
    return args.b.transposed && elements >= kMinElementsToTranspose &&
           args.m <= 64;
  }
  const bool is_far = elements >= kExceedsCache;
  if (!args.b.transposed) return is_far && args.m <= 32;
  if (is_far) return args.m >= 8 && args.m <= kMaxSkinnyRows;
  if (elements >= kMinElementsToTransposeMore) {
    return args.m >= 16 && args.m <= 200;
  }
  // oneDNN's primitive is best with many columns.
  const int64_t max = args.n <= 128 ? 256 : 32;
  return elements >= kMinElementsToTranspose && args.m >= 16 && args.m <= max;
}

// Whether the matmul primitive computes such a product: it scales the sums of
// products and biases, as they are stored.
bool is_primitives(const GemmArgs& args) {
  if (args.beta != 0 && args.beta != 1) return false;
  return args.alpha == 1 || (args.beta == 0 && args.bias == nullptr);
}

// Whether to use the matmul primitive, measured up to twice as fast in these
// cases.
bool suits_primitive(const GemmArgs& args) {
  if (args.a.transposed || !is_primitives(args)) return false;
  if (args.n > 1 && args.n < kNarrow) return args.m >= kNarrow;
  return args.b.transposed && args.m >= kNarrow && args.m <= kMaxSkinnyRows;
}

// For routines without a bias: initializes C with it.
GemmArgs with_bias_in_place(const GemmArgs& args, char* c) {
  const int64_t item = item_size(args.dtype);
  for (int64_t i = 0; i < args.m; ++i) {
    std::memcpy(c + i * args.c.ld * item, args.bias,
                static_cast<size_t>(args.n * item));
  }
  GemmArgs result = args;
  result.bias = nullptr;
  result.beta = 1;
  return result;
}

// Products whose bits depend on the extents alone: by our own kernels, or in
// parts of one thread each.
template <class T>
void multiply_repeatably(const GemmArgs& args, const char* a, const char* b,
                         char* c) {
  constexpr int64_t kMaxParts = 64;
  const int64_t work = args.m * args.n * args.k;
  if (work >= kWorthOneDnn && !is_gemv(args)) {
    const PackedGemm& packed = kernel_slot<PackedGemm>.on(Device());
    const auto kernel = packed.kernel<T>();
    if (kernel != nullptr) return kernel(args, a, b, c);
  }
  if (args.bias != nullptr) {
    return multiply_repeatably<T>(with_bias_in_place(args, c), a, b, c);
  }
  if (work < kWorthThreads) return call_blas<T>(args, a, b, c);
  in_parts(args, std::min(work / kWorthOneDnn, kMaxParts), a, b, c,
           call_blas<T>);
}

dnnl::memory::desc matrix_desc(const GemmArgs::Matrix& x, Dtype dtype,
                               int64_t rows, int64_t columns) {
  const dnnl::memory::dims strides =
      x.transposed ? dnnl::memory::dims{1, x.ld} : dnnl::memory::dims{x.ld, 1};
  return {{rows, columns}, cpu::onednn::data_type(dtype), strides};
}

}  // namespace

// A matmul primitive for a product's extents, and the memory that it reads.
class MatmulPrimitive {
 public:
  // `args` must outlive the primitive.
  MatmulPrimitive(const GemmArgs& args, int threads)
      : args_(args), threads_(threads) {
    const cpu::ThreadLimit limit(threads);
    onednn::with_errors_of("gemm", [&] { prepare(); });
  }

  int threads() const { return threads_; }

  void multiply(const char* a, const char* b, char* c) {
    const cpu::ThreadLimit limit(threads_);
    onednn::with_errors_of("gemm", [&] {
      set(DNNL_ARG_SRC, a);
      set(DNNL_ARG_WEIGHTS, b);
      set(DNNL_ARG_DST, c);
      product_.execute(stream_, arguments_);
      stream_.wait();
    });
  }

 private:
  void prepare() {
    dnnl::post_ops after;
    if (args_.alpha != 1) {
      onednn::append_eltwise(after, dnnl::algorithm::eltwise_linear,
                             static_cast<float>(args_.alpha), 0);
    }
    if (args_.beta == 1) after.append_sum();
    dnnl::primitive_attr attributes;
    attributes.set_post_ops(after);
    const auto a = matrix_desc(args_.a, args_.dtype, args_.m, args_.k);
    const auto b = matrix_desc(args_.b, args_.dtype, args_.k, args_.n);
    const auto c = matrix_desc(args_.c, args_.dtype, args_.m, args_.n);
    const dnnl::memory::desc bias({1, args_.n}, dnnl::memory::data_type::f32,
                                  dnnl::memory::dims{args_.n, 1});
    // oneDNN looks up its primitive cache: about 2 microseconds.
    product_ = dnnl::matmul(
        args_.bias == nullptr
            ? onednn::describe_primitive<dnnl::matmul>(attributes, a, b, c)
            : onednn::describe_primitive<dnnl::matmul>(attributes, a, b, bias,
                                                       c));
    add(DNNL_ARG_SRC, a);
    add(DNNL_ARG_WEIGHTS, b);
    add(DNNL_ARG_DST, c);
    if (args_.bias != nullptr) {
      add(DNNL_ARG_BIAS, bias);
      set(DNNL_ARG_BIAS, args_.bias);
    }
  }

  void add(int id, const dnnl::memory::desc& desc) {
    arguments_.emplace(id,
                       dnnl::memory(desc, onednn::engine(), DNNL_MEMORY_NONE));
  }
  void set(int id, const char* data) {
    arguments_.at(id).set_data_handle(const_cast<char*>(data));
  }

  const GemmArgs& args_;
  int threads_;
  dnnl::matmul product_;
  dnnl::stream stream_{onednn::engine()};
  std::unordered_map<int, dnnl::memory> arguments_;
};

namespace {

// Calls `call` with the number of threads that so many multiplications are
// worth.
template <class Call>
void with_threads_for(int64_t work, const Call& call) {
  if (work < kWorthThreads) return call(1);
  if (work >= kWorthWaiting) return call(get_num_threads());
  const cpu::LibraryCall parallel(work / 10);
  call(parallel.threads());
}

}  // namespace

void multiply_float32(const GemmArgs& args, const char* a, const char* b,
                      char* c) {
  const int64_t work = args.m * args.n * args.k;
  if (suits_row_gemm(args)) {
    return kernel_slot<RowGemm>.on(Device()).float32(args, a, b, c);
  }
  if (work >= kWorthThreads && suits_skinny_gemm(args)) {
    return kernel_slot<SkinnyGemm>.on(Device()).run(args, a, b, c);
  }
  if (work < kWorthOneDnn || !kBitsIgnoreThreads) {
    return multiply_repeatably<float>(args, a, b, c);
  }
  const bool is_primitive = suits_primitive(args);
  if (args.bias != nullptr && !is_primitive) {
    return multiply_float32(with_bias_in_place(args, c), a, b, c);
  }
  with_threads_for(work, [&](int threads) {
    if (is_primitive) {
      MatmulPrimitive(args, threads).multiply(a, b, c);
    } else {
      call_dnnl(args, threads, a, b, c);
    }
  });
}

bool multiplies_bfloat16(const GemmArgs& args) {
  return cpu::onednn::computes_in(Dtype::kBFloat16) && is_primitives(args) &&
         args.m * args.n * args.k >= kWorthOneDnn;
}

bool multiplies_packed(const GemmArgs& args) {
  return !kBitsIgnoreThreads && args.m * args.n * args.k >= kWorthOneDnn &&
         !is_gemv(args) &&
         kernel_slot<PackedGemm>.on(Device()).bfloat16 != nullptr;
}

void multiply_packed(const GemmArgs& args, const char* a, const char* b,
                     char* c) {
  const PackedGemm& packed = kernel_slot<PackedGemm>.on(Device());
  (args.dtype == Dtype::kFloat16 ? packed.float16 : packed.bfloat16)(args, a, b,
                                                                     c);
}

BFloat16Product::BFloat16Product(const GemmArgs& args) : args_(args) {}
BFloat16Product::~BFloat16Product() = default;

void BFloat16Product::operator()(const char* a, const char* b, char* c) {
  if (shares_terms(args_)) {
    return in_parts(
        args_, parts_of(args_), a, b, c,
        [](const GemmArgs& part, const char* a, const char* b, char* c) {
          MatmulPrimitive(part, 1).multiply(a, b, c);
        });
  }
  with_threads_for(args_.m * args_.n * args_.k, [&](int threads) {
    if (primitive_ == nullptr || primitive_->threads() != threads) {
      primitive_ = std::make_unique<MatmulPrimitive>(args_, threads);
    }
    primitive_->multiply(a, b, c);
  });
}

void multiply_float64(const GemmArgs& args, const char* a, const char* b,
                      char* c) {
  multiply_repeatably<double>(args, a, b, c);
}

}  // namespace catena::kernels::CATENA_BACKEND
