// Every ufunc of the table on random dtypes, shapes and layouts, against its
// functor called on each element. This tests everything in between: promotion,
// broadcasting, merging of axes, casts, buffers, vectors on every instruction
// set, outputs and overlap.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/kernels/kernel_slot.h"
#include "catena/array/result_type.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/array/ufunc/ufunc_traits.h"
#include "catena/tests/testing/device_test.h"

namespace catena::array {
namespace {

constexpr int kCasesPerUfunc = 80;

// One element of each argument, as bytes.
using Item = std::array<char, 8>;
using Items = std::vector<Item>;

template <class S>
using ComputeOf = std::conditional_t<
    std::is_same_v<S, float16> || std::is_same_v<S, bfloat16>, float, S>;

template <class S>
ComputeOf<S> load(const Item& item) {
  S stored;
  std::memcpy(&stored, item.data(), sizeof(S));
  return static_cast<ComputeOf<S>>(stored);
}

template <class S>
void store(ComputeOf<S> value, Item& item) {
  const S stored = static_cast<S>(value);
  std::memcpy(item.data(), &stored, sizeof(S));
}

// The functor on one element: the items of the inputs, then of the outputs.
using Reference = void (*)(Items& items);

template <class Op, class In, class Out>
struct ReferenceOf;
template <class Op, class... In, class... Out>
struct ReferenceOf<Op, TypeList<In...>, TypeList<Out...>> {
  static void run(Items& items) {
    run(items, std::make_index_sequence<sizeof...(In)>(),
        std::make_index_sequence<sizeof...(Out)>());
  }
  template <size_t... in, size_t... out>
  static void run(Items& items, std::index_sequence<in...>,
                  std::index_sequence<out...>) {
    constexpr size_t kInputs = sizeof...(In);
    if constexpr (std::is_invocable_v<const Op&, ComputeOf<In>...>) {
      (store<Out>(Op()(load<In>(items[in])...), items[kInputs + out]), ...);
    } else {
      std::tuple<ComputeOf<Out>...> results;
      Op()(load<In>(items[in])..., std::get<out>(results)...);
      (store<Out>(std::get<out>(results), items[kInputs + out]), ...);
    }
  }
};

struct Entry {
  const UfuncTraits* traits;
  std::array<Reference, kDtypeCount> references{};
  bool exact;
};

template <class Op, class... Rows>
constexpr bool contains(TypeList<Rows...>) {
  return (std::is_same_v<Op, typename Rows::Op> || ...);
}

template <class Row, class... Ts>
void add_references(Entry& entry, TypeList<Ts...>) {
  ((entry.references[static_cast<size_t>(dtype_of<Ts>)] =
        ReferenceOf<typename Row::Op, typename Row::template In<Ts>,
                    typename Row::template Out<Ts>>::run),
   ...);
}

template <class Row>
Entry entry_of() {
  using Op = typename Row::Op;
  // Vectors have functions of their own, and may round a b + c once.
  const bool exact = !contains<Op>(ExponentialUfuncs()) &&
                     !contains<Op>(TrigonometricUfuncs()) &&
                     !std::is_same_v<Op, MultiplyAddOp> &&
                     !std::is_same_v<Op, PowerOp>;
  Entry entry{&UfuncOf<Op>::traits, {}, exact};
  add_references<Row>(entry, typename Row::Dtypes());
  return entry;
}

template <class... Rows>
std::vector<Entry> entries(TypeList<Rows...>) {
  return {entry_of<Rows>()...};
}

// A view of a base array: the base's shape and what makes the view of it.
struct Layout {
  Shape base;
  std::function<Array(const Array&)> view;
};

class RandomCase {
 public:
  RandomCase(const Entry& entry, Device device, uint32_t seed)
      : entry_(entry), device_(device), random_(seed) {}

  void run() {
    choose_shape();
    for (int i = 0; i < traits().nin; ++i) choose_operand(i);
    const Dtype dtype = computed_dtype();
    Reference reference = entry_.references[static_cast<size_t>(dtype)];
    if (reference == nullptr) {
      EXPECT_THROW(call(), DtypeError);
      return;
    }
    choose_outputs(dtype);
    const std::vector<Array> expected = expect(reference, dtype);
    call();
    for (int i = 0; i < traits().nout; ++i) {
      const Array& out = results_[static_cast<size_t>(i)];
      ASSERT_EQ(out.dtype(), expected[static_cast<size_t>(i)].dtype());
      ASSERT_EQ(out.shape(), shape_);
      compare(out.to_device(native_device()), expected[static_cast<size_t>(i)],
              dtype);
    }
    expect_untouched();
  }

 private:
  const UfuncTraits& traits() const { return *entry_.traits; }

  int64_t below(int64_t n) {
    return std::uniform_int_distribution<int64_t>(0, n - 1)(random_);
  }
  bool one_in(int64_t n) { return below(n) == 0; }

  void choose_shape() {
    const int64_t ndim = below(6);
    for (int i = 0; i < ndim; ++i) {
      shape_.push_back(one_in(12) ? 0 : one_in(4) ? 1 : 1 + below(5));
    }
    // Long rows reach the vectors and the buffers.
    if (ndim > 0 && one_in(4)) shape_[static_cast<int>(below(ndim))] = 70;
    if (ndim == 1 && one_in(4)) shape_[0] = 1500;
  }

  // The axes of a view, each as Python's slice of a base's.
  Layout random_layout(const Shape& shape) {
    const int ndim = shape.ndim();
    Axes order;
    for (int i = 0; i < ndim; ++i) order.push_back(i);
    if (one_in(2)) std::shuffle(order.begin(), order.end(), random_);
    // Axis i of the view is axis order[i] of the base.
    Shape base = Shape::filled(ndim, 1);
    std::vector<Slice> slices(static_cast<size_t>(ndim));
    for (int i = 0; i < ndim; ++i) {
      const int axis = static_cast<int>(order[i]);
      const int64_t step = one_in(4) ? 2 : 1;
      base[axis] = shape[i] * step;
      Slice& slice = slices[static_cast<size_t>(axis)];
      slice = one_in(4) ? Slice(std::nullopt, std::nullopt, -step)
                        : Slice(std::nullopt, std::nullopt, step);
    }
    return {base, [=](const Array& a) {
              const std::vector<Index> indexes(slices.begin(), slices.end());
              const Array sliced = basic_index(a, indexes);
              return ndim > 1 ? sliced.transpose(order) : sliced;
            }};
  }

  double random_value() {
    if (one_in(20)) return std::nan("");
    if (one_in(20)) return one_in(2) ? HUGE_VAL : -HUGE_VAL;
    if (one_in(10)) return one_in(2) ? 0.0 : -0.0;
    return std::uniform_real_distribution<double>(-4, 4)(random_);
  }

  Array random_array(const Shape& shape, Dtype dtype) {
    const Array a = empty(shape, dtype, native_device());
    for (int64_t i = 0; i < a.size(); ++i) {
      const Scalar value = is_floating(dtype) ? Scalar(random_value())
                           : dtype == Dtype::kBool
                               ? Scalar(one_in(2))
                               : Scalar(below(one_in(3) ? 200 : 5));
      visit_dtype(dtype, [&](auto tag) {
        using T = decltype(tag);
        auto item = value.as<T>();
        if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
          if (one_in(3)) item = static_cast<T>(-item);
        }
        a.data<T>()[i] = item;
      });
    }
    return a;
  }

  void choose_operand(int i) {
    const ArgumentDtype input = traits().inputs[static_cast<size_t>(i)];
    const auto any = static_cast<Dtype>(below(kDtypeCount));
    const Dtype dtype = input.resolve(
        i > 0 && host_[0].defined() && one_in(2) ? host_[0].dtype() : any);
    if (!input.is_fixed() && one_in(6)) {
      numbers_[static_cast<size_t>(i)] =
          one_in(2) ? Scalar(below(4)) : Scalar(0.5 * (1 + below(4)));
      host_.push_back(Array());
      layouts_.push_back({});
      return;
    }
    Shape shape;
    const int ndim =
        one_in(3) ? static_cast<int>(below(shape_.ndim() + 1)) : shape_.ndim();
    for (int k = shape_.ndim() - ndim; k < shape_.ndim(); ++k) {
      shape.push_back(one_in(6) ? 1 : shape_[k]);
    }
    Layout layout = random_layout(shape);
    if (one_in(8)) {  // strides of 0
      const Shape wide = shape_;
      layout.view = [inner = layout.view, wide](const Array& a) {
        return inner(a).broadcast_to(wide);
      };
    }
    host_.push_back(random_array(layout.base, dtype));
    layouts_.push_back(std::move(layout));
  }

  // By the definitions of the rules.
  Dtype computed_dtype() {
    std::vector<DtypeSource> sources;
    // The results have the shape to which the operands broadcast.
    Shape shape;
    for (size_t i = 0; i < host_.size(); ++i) {
      if (host_[i].defined()) {
        shape =
            broadcast_shapes(shape, layouts_[i].view(host_[i]).shape(), "test");
      }
      if (traits().inputs[i].is_fixed()) continue;
      if (host_[i].defined()) {
        sources.emplace_back(host_[i]);
      } else {
        sources.emplace_back(*numbers_[i]);
      }
    }
    shape_ = shape;
    const Dtype dtype = result_type(sources);
    switch (traits().rule) {
      case DtypeRule::kPromote:
        return dtype;
      case DtypeRule::kNumber:
        return dtype == Dtype::kBool ? Dtype::kInt8 : dtype;
      case DtypeRule::kTrueDivide:
        return is_floating(dtype) ? dtype : Dtype::kFloat64;
      case DtypeRule::kFloat: {
        if (is_floating(dtype)) return dtype;
        Dtype result = Dtype::kFloat16;
        for (const DtypeSource& source : sources) {
          // A number lifts what the arrays promote to.
          if (source.is_number()) return promote(dtype, Dtype::kFloat16);
          result = promote(result, source.dtype());
        }
        return result;
      }
    }
    return dtype;
  }

  // No output, a new one of any layout, or a view of an operand's memory.
  void choose_outputs(Dtype dtype) {
    results_.assign(static_cast<size_t>(traits().nout), Array());
    outputs_.assign(static_cast<size_t>(traits().nout), std::nullopt);
    // A case without arrays computes on the current device.
    for (int i = 0; i < traits().nout; ++i) {
      if (one_in(2)) continue;
      Output output;
      output.dtype = traits().outputs[static_cast<size_t>(i)].resolve(dtype);
      for (size_t k = 0; k < host_.size() && i == 0; ++k) {
        if (host_[k].defined() && host_[k].dtype() == output.dtype &&
            layouts_[k].view(host_[k]).shape() == shape_ &&
            host_[k].size() >= size_of(shape_) && one_in(2)) {
          output.shares = static_cast<int>(k);
        }
      }
      if (output.shares >= 0) {
        output.layout = overlapping_layout(static_cast<size_t>(output.shares));
      } else {
        if (one_in(3)) output.dtype = wider(output.dtype);
        output.layout = random_layout(shape_);
        output.base = random_array(output.layout.base, output.dtype);
      }
      outputs_[static_cast<size_t>(i)] = output;
    }
  }

  Dtype wider(Dtype dtype) {
    const auto any = static_cast<Dtype>(below(kDtypeCount));
    return can_cast(dtype, any, Casting::kSameKind) ? any : dtype;
  }

  // A view with distinct elements of an operand's memory: in the operand's
  // layout, reversed, or its first elements in C order.
  Layout overlapping_layout(size_t operand) {
    const Shape shape = shape_;
    const bool is_repeated = [&] {
      const Array view = layouts_[operand].view(host_[operand]);
      for (int i = 0; i < view.ndim(); ++i) {
        if (view.strides()[i] == 0 && view.shape()[i] > 1) return true;
      }
      return false;
    }();
    const int64_t choice = is_repeated ? 2 : below(3);
    const auto inner = layouts_[operand].view;
    if (choice == 2) {
      return {{}, [shape](const Array& a) {
                const Array flat = a.reshape({-1});
                return flat[{Slice(size_of(shape))}].reshape(shape);
              }};
    }
    return {{}, [inner, choice](const Array& a) -> Array {
              const Array view = inner(a);
              if (choice == 0 || view.ndim() == 0) return view;
              return view[{Slice(std::nullopt, std::nullopt, -1)}];
            }};
  }

  void call() {
    std::vector<Operand> operands;
    std::vector<Array> bases;
    std::vector<Array> views;
    bases.reserve(host_.size());
    views.reserve(host_.size());
    for (size_t i = 0; i < host_.size(); ++i) {
      if (!host_[i].defined()) {
        operands.emplace_back(*numbers_[i]);
        bases.emplace_back();
        continue;
      }
      bases.push_back(host_[i].copy().to_device(device_));
      views.push_back(layouts_[i].view(bases[i]));
      operands.emplace_back(views.back());
    }
    std::vector<Array> results(static_cast<size_t>(traits().nout));
    device_outputs_.clear();
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (!outputs_[i].has_value()) continue;
      const Output& output = *outputs_[i];
      const Array base = output.shares >= 0
                             ? bases[static_cast<size_t>(output.shares)]
                             : output.base.copy().to_device(device_);
      results[i] = output.layout.view(base);
      if (output.shares < 0) device_outputs_.push_back({base, &output});
    }
    std::vector<const Operand*> pointers;
    for (const Operand& operand : operands) pointers.push_back(&operand);
    call_ufunc(traits(), pointers, results);
    results_ = results;
  }

  Item item_of(const Array& a, const std::vector<int64_t>& index) const {
    const char* at = a.raw_data();
    const int added = static_cast<int>(index.size()) - a.ndim();
    for (int i = 0; i < a.ndim(); ++i) {
      if (a.shape()[i] != 1) {
        at += index[static_cast<size_t>(i + added)] * a.strides()[i];
      }
    }
    Item item{};
    std::memcpy(item.data(), at, static_cast<size_t>(a.itemsize()));
    return item;
  }

  static Item cast(const Item& from, Dtype from_dtype, Dtype to_dtype) {
    Item to{};
    visit_dtype(from_dtype, [&](auto from_tag) {
      decltype(from_tag) value;
      std::memcpy(&value, from.data(), sizeof(value));
      visit_dtype(to_dtype, [&](auto to_tag) {
        const auto result = Scalar(value).as<decltype(to_tag)>();
        std::memcpy(to.data(), &result, sizeof(result));
      });
    });
    return to;
  }

  // The results in C order, by loops over the index.
  std::vector<Array> expect(Reference reference, Dtype dtype) {
    std::vector<Array> views;
    for (size_t i = 0; i < host_.size(); ++i) {
      views.push_back(host_[i].defined() ? layouts_[i].view(host_[i])
                                         : Array());
    }
    std::vector<Array> results;
    for (int i = 0; i < traits().nout; ++i) {
      const auto& output = outputs_[static_cast<size_t>(i)];
      const Dtype own = traits().outputs[static_cast<size_t>(i)].resolve(dtype);
      results.push_back(
          empty(shape_, output ? output->dtype : own, native_device()));
    }
    std::vector<int64_t> index(static_cast<size_t>(shape_.ndim()));
    const int64_t size = size_of(shape_);
    for (int64_t n = 0; n < size; ++n) {
      Items items(static_cast<size_t>(traits().nin + traits().nout));
      for (size_t i = 0; i < views.size(); ++i) {
        const Dtype wanted = traits().inputs[i].resolve(dtype);
        if (views[i].defined()) {
          items[i] = cast(item_of(views[i], index), views[i].dtype(), wanted);
        } else {
          numbers_[i]->store(items[i].data(), wanted, "test");
        }
      }
      reference(items);
      for (size_t i = 0; i < results.size(); ++i) {
        const Item result =
            cast(items[views.size() + i], traits().outputs[i].resolve(dtype),
                 results[i].dtype());
        std::memcpy(results[i].raw_data() + n * results[i].itemsize(),
                    result.data(), static_cast<size_t>(results[i].itemsize()));
      }
      for (int axis = shape_.ndim() - 1; axis >= 0; --axis) {
        if (++index[static_cast<size_t>(axis)] < shape_[axis]) break;
        index[static_cast<size_t>(axis)] = 0;
      }
    }
    return results;
  }

  void compare(const Array& actual, const Array& expected, Dtype computed) {
    const std::vector<double> x = actual.to_vector<double>();
    const std::vector<double> y = expected.to_vector<double>();
    // Vectors compute float16 in float as the functor does; results that round
    // to neighbours differ by one unit in the last place.
    const Dtype min = is_floating(expected.dtype()) &&
                              item_size(expected.dtype()) < item_size(computed)
                          ? expected.dtype()
                          : computed;
    const double epsilon = min == Dtype::kBFloat16  ? 0x1p-7
                           : min == Dtype::kFloat16 ? 0x1p-10
                           : min == Dtype::kFloat32 ? 0x1p-20
                                                    : 0x1p-48;
    const double slack = entry_.exact && device_.is_native() ? 0
                         : is_floating(expected.dtype())     ? epsilon
                                                             : 0;
    for (size_t i = 0; i < x.size(); ++i) {
      if (std::isnan(y[i]) ? std::isnan(x[i]) : x[i] == y[i]) {
        if (slack == 0 && !std::isnan(y[i])) {
          ASSERT_EQ(std::signbit(x[i]), std::signbit(y[i])) << "at " << i;
        }
        continue;
      }
      // a b + c may cancel, so an error is measured by the operands too.
      ASSERT_LE(std::abs(x[i] - y[i]), slack * (16 + std::abs(y[i])))
          << "at " << i << ": " << x[i] << " and not " << y[i];
    }
  }

  // What lies between the elements of an output stays.
  void expect_untouched() {
    for (const auto& [base, output] : device_outputs_) {
      const Array before = output->base.copy();
      const Array after = base.to_device(native_device()).copy();
      output->layout.view(before).fill(0);
      output->layout.view(after).fill(0);
      ASSERT_EQ(std::memcmp(before.raw_data(), after.raw_data(),
                            static_cast<size_t>(before.nbytes())),
                0);
    }
  }

  struct Output {
    Dtype dtype;
    int shares = -1;  // the operand whose memory it is in
    Layout layout;
    Array base;
  };

  const Entry& entry_;
  Device device_;
  std::mt19937 random_;
  Shape shape_;
  std::vector<Array> host_;  // the operands' bases; undefined for numbers
  std::vector<Layout> layouts_;
  std::array<std::optional<Scalar>, kMaxUfuncInputs> numbers_;
  std::vector<std::optional<Output>> outputs_;
  std::vector<std::pair<Array, const Output*>> device_outputs_;
  std::vector<Array> results_;
};

class UfuncRandomTest : public catena::testing::DeviceTest {
 protected:
  void TearDown() override {
    set_cpu_kernel_target(before_);
    DeviceTest::TearDown();
  }

  // The CPU's targets that this machine has.
  std::vector<KernelTarget> targets() const {
    std::vector<KernelTarget> targets;
    for (const auto target : cpu_kernel_targets()) {
      try {
        set_cpu_kernel_target(target);
        targets.push_back(target);
      } catch (const ValueError&) {  // the machine lacks it
      }
    }
    return targets;
  }

 private:
  KernelTarget before_ = cpu_kernel_target();
};

TEST_P(UfuncRandomTest, EveryUfuncIsItsFunctorOnEveryElementOfAnyLayout) {
  const std::vector<Entry> ufuncs = entries(UfuncTable());
  ASSERT_GE(ufuncs.size() * kCasesPerUfunc, 5000u);
  const std::vector<KernelTarget> targets = this->targets();
  for (size_t i = 0; i < ufuncs.size(); ++i) {
    for (uint32_t k = 0; k < kCasesPerUfunc; ++k) {
      const KernelTarget target = targets[k % targets.size()];
      set_cpu_kernel_target(target);
      const auto seed = static_cast<uint32_t>(i) * 1000 + k;
      SCOPED_TRACE(str(ufuncs[i].traits->slot->name, ", case ", seed, " on ",
                       kernel_target_name(target)));
      RandomCase(ufuncs[i], device(), seed).run();
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, UfuncRandomTest, catena::testing::every_device(),
                         catena::testing::device_name);

}  // namespace
}  // namespace catena::array
