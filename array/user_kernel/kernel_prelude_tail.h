// The rest of the prelude of every generated kernel, after
// array/core/float16.h: the types that the kernel's code can use, and its
// arguments.
#define CATENA_KERNEL_FLOAT(NAME)                                         \
  struct NAME : catena::NAME {                                            \
    NAME() = default;                                                     \
    CATENA_DEVICE NAME(float x) : catena::NAME(x) {}                      \
    CATENA_DEVICE NAME(double x)                                          \
        : catena::NAME(catena::internal::round_to_odd(x)) {}              \
    template <class T, class = decltype(static_cast<float>(T()) + T())>   \
    CATENA_DEVICE NAME(T x) : catena::NAME(static_cast<float>(x)) {}      \
    CATENA_DEVICE NAME& operator+=(float x) { return *this = *this + x; } \
    CATENA_DEVICE NAME& operator-=(float x) { return *this = *this - x; } \
    CATENA_DEVICE NAME& operator*=(float x) { return *this = *this * x; } \
    CATENA_DEVICE NAME& operator/=(float x) { return *this = *this / x; } \
  }
CATENA_KERNEL_FLOAT(float16);
CATENA_KERNEL_FLOAT(bfloat16);
#undef CATENA_KERNEL_FLOAT

#ifndef __CUDACC_RTC__
using std::abs, std::acos, std::acosh, std::asin, std::asinh, std::atan,
    std::atan2, std::atanh, std::cbrt, std::ceil, std::copysign, std::cos,
    std::cosh, std::erf, std::erfc, std::exp, std::exp2, std::expm1, std::fabs,
    std::floor, std::fma, std::fmax, std::fmin, std::fmod, std::hypot,
    std::isfinite, std::isinf, std::isnan, std::ldexp, std::lgamma, std::log,
    std::log10, std::log1p, std::log2, std::nextafter, std::pow, std::remainder,
    std::rint, std::round, std::signbit, std::sin, std::sinh, std::sqrt,
    std::tan, std::tanh, std::tgamma, std::trunc;

inline float rsqrt(float x) { return 1 / std::sqrt(x); }
inline double rsqrt(double x) { return 1 / std::sqrt(x); }

// As in CUDA: if one operand is NaN, the other one.
template <class A, class B>
inline auto max(A a, B b) -> decltype(a + b) {
  typedef decltype(a + b) C;
  return C(a) > C(b) || C(b) != C(b) ? C(a) : C(b);
}
template <class A, class B>
inline auto min(A a, B b) -> decltype(a + b) {
  typedef decltype(a + b) C;
  return C(a) < C(b) || C(b) != C(b) ? C(a) : C(b);
}

// Atomically replaces *address by update(*address). Returns the old value.
template <class T, class Update>
inline T catena_atomic(T* address, Update update) {
  T old;
  __atomic_load(address, &old, __ATOMIC_RELAXED);
  T wanted = update(old);
  while (!__atomic_compare_exchange(address, &old, &wanted, true,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    wanted = update(old);
  }
  return old;
}
template <class T, class U>
inline T atomicAdd(T* address, U value) {
  return catena_atomic(address, [=](T old) { return T(old + value); });
}
template <class T, class U>
inline T atomicMax(T* address, U value) {
  return catena_atomic(address, [=](T old) { return T(max(old, value)); });
}
template <class T, class U>
inline T atomicMin(T* address, U value) {
  return catena_atomic(address, [=](T old) { return T(min(old, value)); });
}
#endif

// Filled in by the caller; must match user_kernel/kernel_backend.h.
struct catena_param {
  char* data;
  int64_t size;
  int64_t shape[8];
  int64_t strides[9];
};
template <int nparams>
struct catena_args {
  int64_t size;
  int64_t outputs;
  int64_t count;
  int64_t by_columns;
  int64_t shape[8];
  int64_t reduced_shape[8];
  catena_param params[nparams];
};

template <class T>
CATENA_DEVICE const T& catena_scalar(const catena_param& param) {
  return *reinterpret_cast<const T*>(&param.data);
}

// A position in a loop over `shape`. Indices that fit 32 bits use 32-bit
// division.
template <int ndim, class Unsigned>
struct CIndexer {
  static const int kDims = ndim;
  CATENA_DEVICE CIndexer(const int64_t* shape, int64_t size)
      : shape_(shape), size_(size) {}
  CATENA_DEVICE ptrdiff_t size() const { return size_; }
  CATENA_DEVICE const int64_t* shape() const { return shape_; }
  CATENA_DEVICE void set(ptrdiff_t i) { i_ = i; }
  // The index along each axis.
  CATENA_DEVICE const ptrdiff_t* get() {
    Unsigned rest = static_cast<Unsigned>(i_);
    for (int axis = ndim - 1; axis > 0; --axis) {
      const Unsigned extent = static_cast<Unsigned>(shape_[axis]);
      const Unsigned quotient = rest / extent;
      index_[axis] = static_cast<ptrdiff_t>(rest - quotient * extent);
      rest = quotient;
    }
    index_[0] = static_cast<ptrdiff_t>(rest);
    return index_;
  }
  // The offset of the index from get() in an operand.
  CATENA_DEVICE ptrdiff_t offset(const int64_t* strides) const {
    ptrdiff_t sum = 0;
    for (int axis = 0; axis < ndim; ++axis) sum += index_[axis] * strides[axis];
    return sum;
  }
  const int64_t* shape_;
  int64_t size_;
  ptrdiff_t i_ = 0;
  ptrdiff_t index_[ndim > 0 ? ndim : 1] = {};
};

// A raw parameter: an array that the kernel's code indexes explicitly, in C
// order or with one index per axis.
template <class T, int ndim_, bool contiguous>
struct CArray {
  static const int ndim = ndim_;
  CATENA_DEVICE explicit CArray(const catena_param& param) : param_(&param) {}
  CATENA_DEVICE ptrdiff_t size() const { return param_->size; }
  CATENA_DEVICE const int64_t* shape() const { return param_->shape; }
  CATENA_DEVICE const int64_t* strides() const { return param_->strides; }
  template <class Integer>
  CATENA_DEVICE T& operator[](Integer position) const {
    ptrdiff_t i = static_cast<ptrdiff_t>(position);
    if (contiguous) return reinterpret_cast<T*>(param_->data)[i];
    ptrdiff_t offset = 0;
    for (int axis = ndim - 1; axis > 0; --axis) {
      const ptrdiff_t extent = param_->shape[axis];
      const ptrdiff_t quotient = i / extent;
      offset += (i - quotient * extent) * param_->strides[axis];
      i = quotient;
    }
    if (ndim > 0) offset += i * param_->strides[0];
    return *reinterpret_cast<T*>(param_->data + offset);
  }
  template <class Integer>
  CATENA_DEVICE T& operator[](Integer* index) const {
    ptrdiff_t offset = 0;
    for (int axis = 0; axis < ndim; ++axis) {
      offset += index[axis] * param_->strides[axis];
    }
    return *reinterpret_cast<T*>(param_->data + offset);
  }
  const catena_param* param_;
};
