// Casts between all dtypes; from a dtype to itself they are copies.

#include "catena/array/kernels/cast_ops.h"
#include "catena/array/kernels/kernel_type.h"
#include "catena/array/ufunc/elementwise_kernel.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

// The cast that shares a kernel with From to To. Signedness does not matter
// when integers are truncated or tested for zero. When they are widened, it
// matters only in From, for sign extension.
template <class From, class To>
struct CastKernel {
  static constexpr bool kFromInteger = std::is_integral_v<From>;
  static constexpr bool kToInteger =
      std::is_integral_v<To> && !std::is_same_v<To, bool>;
  static constexpr bool kCuts =
      kFromInteger && std::is_integral_v<To> && sizeof(To) <= sizeof(From);
  using Source = std::conditional_t<
      (kCuts || std::is_same_v<From, To>)&&!std::is_same_v<From, bool>,
      BitsOf<From>, From>;
  using Result = std::conditional_t<(kFromInteger && kToInteger) ||
                                        (std::is_same_v<From, To> &&
                                         !std::is_same_v<From, bool>),
                                    BitsOf<To>, To>;
  static constexpr ElementwiseLoopFn* kRun =
      ElementwiseLoop<CastOp<Result>, TypeList<Source>, TypeList<Result>>::run;
};

}  // namespace

template <class To, class From>
struct Loop<CastFamily, CastTo<To>, From> {
  static constexpr ElementwiseLoopFn* run = CastKernel<From, To>::kRun;
};

template <class... To>
constexpr TypeList<CastTo<To>...> casts_to(TypeList<To...>) {
  return {};
}
extern const auto kCastKernels =
    register_kernels<CastFamily>(casts_to(AllTypes()));

}  // namespace catena::kernels::CATENA_BACKEND
