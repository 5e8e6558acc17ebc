// Shapes, slices, axes, devices, memory, threads, traces and what functions of
// users call.

#include "catena/array/all.h"
#include "catena/autograd/autograd.h"
#include "catena/functions/functions.h"
#include "catena/tests/arguments/cases.h"
#include "catena/tests/arguments/small_inputs.h"

namespace catena::testing {
namespace {

int as_int(int64_t n) { return static_cast<int>(n); }

ArgumentCases shapes() {
  return {
      {"AxisSet", "axis", [](int64_t n) { AxisSet(n).normalized(2, "axes"); }},
      {"AxisSet", "axes",
       [](const Axes& axes) { AxisSet(axes).normalized(2, "axes"); }},
      {"Shape", "values",
       [](int64_t n) {
         return array::empty(Shape(std::vector<int64_t>(3, n)));
       }},
      {"Shape", "count",
       [](int64_t n) {
         const int64_t values[] = {1, 2, 3};
         return Shape(values, static_cast<size_t>(n > 3 ? kMaxDims + n : n));
       }},
      {"Shape::erase", "position",
       [](int64_t n) {
         Shape shape = {1, 2};
         shape.erase(as_int(n));
       }},
      {"Shape::filled", "count",
       [](int64_t n) { Shape::filled(as_int(n), 1); }},
      {"Shape::filled", "value",
       [](int64_t n) { return array::empty(Shape::filled(2, n)); }},
      {"Shape::insert", "position",
       [](int64_t n) {
         Shape shape = {1, 2};
         shape.insert(as_int(n), 1);
       }},
      {"Shape::insert", "value",
       [](int64_t n) {
         Shape shape = {1, 2};
         shape.insert(1, n);
         return array::empty(shape);
       }},
      {"Shape::push_back", "value",
       [](int64_t n) {
         Shape shape;
         shape.push_back(n);
         return array::empty(shape, Dtype::kUInt8);
       }},
      {"broadcast_shapes", "a",
       [](const Shape& a) {
         broadcast_shapes(a, {2, 1}, "f");
       }},
      {"broadcast_shapes", "b",
       [](const Shape& b) {
         broadcast_shapes({1, 3}, b, "f");
       }},
      {"checked_size", "shape",
       [](const Shape& shape) { checked_size(shape, 8, "f"); }},
      {"normalize_axes", "axes",
       [](const Axes& axes) { normalize_axes(axes, 2, "f"); }},
      {"normalize_axis", "axis", [](int64_t n) { normalize_axis(n, 2, "f"); }},
      {"operator<<", "shape", [](const Shape& shape) { to_string(shape); }},
      {"to_string", "shape", [](const Shape& shape) { to_string(shape); }},
      {"Slice", "start",
       [](int64_t n) { return Array(floats({4})[{Slice(n, std::nullopt)}]); }},
      {"Slice", "stop",
       [](int64_t n) { return Array(floats({4})[{Slice(n)}]); }},
      {"Slice", "step",
       [](int64_t n) {
         return Array(floats({4})[{Slice(std::nullopt, std::nullopt, n)}]);
       }},
      {"Index", "slice",
       [](const Slice& slice) { return Array(floats({4})[{Index(slice)}]); }},
      {"AdvancedIndex", "basic",
       [](int64_t n) {
         return array::getitem(floats({4}), {AdvancedIndex(Index(n))});
       }},
      {"AdvancedIndex", "slice",
       [](const Slice& slice) {
         return array::getitem(floats({4}), {AdvancedIndex(slice)});
       }},
  };
}

ArgumentCases devices() {
  const auto make = [](Device device) { return array::zeros({2}, {}, device); };
  return {
      {"Device", "index",
       [=](int64_t n) { return make(Device(Backend::kNative, as_int(n))); }},
      {"native_device", "index",
       [=](int64_t n) { return make(native_device(as_int(n))); }},
      {"cuda_device", "index",
       [=](int64_t n) { return make(cuda_device(as_int(n))); }},
      {"get_device", "id",
       [=](int64_t n) { return make(get_device(as_int(n))); }},
      {"get_device_from_id", "id",
       [=](int64_t n) { return make(get_device_from_id(as_int(n))); }},
      {"cpu::copy_bytes", "bytes",
       [](int64_t n) {
         char to[1] = {};
         // No function can know how much memory there is.
         if (n <= 0) cpu::copy_bytes(to, "a", n);
       }},
      {"cpu::pool_allocate", "bytes",
       [](int64_t n) { cpu::pool_free(cpu::pool_allocate(n), n); }},
      {"cpu::PoolBuffer", "count",
       [](int64_t n) { const cpu::PoolBuffer<double> buffer(n); }},
      {"cpu::set_memory_pool_limit", "bytes",
       [](int64_t n) {
         cpu::set_memory_pool_limit(n);
         cpu::set_memory_pool_limit(int64_t{1} << 28);
       }},
      {"set_num_threads", "count",
       [](int64_t n) {
         const int before = get_num_threads();
         // 2^31 - 1 threads are allowed: they are started when needed.
         if (n != INT32_MAX) set_num_threads(as_int(n));
         set_num_threads(before);
       }},
      {"cpu::parallel_for", "size",
       [](int64_t n) {
         cpu::parallel_for(n, INT64_MAX, [](int64_t, int64_t) {});
       }},
      {"cpu::parallel_for", "size",
       [](int64_t n) { cpu::parallel_for(n, 1, [](int64_t, int64_t) {}); }},
      {"cpu::parallel_for", "grain",
       [](int64_t n) { cpu::parallel_for(100, n, [](int64_t, int64_t) {}); }},
      {"cpu::parallel_for", "align",
       [](int64_t n) {
         cpu::parallel_for(
             100, 1, [](int64_t, int64_t) {}, n);
       }},
      {"Trace", "max_events",
       [](int64_t n) {
         const Trace trace({.max_events = n});
         add_trace_counter("n", 1);
       }},
      {"add_trace_counter", "value",
       [](int64_t n) {
         const Trace trace;
         add_trace_counter("n", n);
       }},
  };
}

// A function of a user: the identity, and what else it calls.
class Calling final : public FunctionNode {
 public:
  using Call = std::function<void(FunctionNode& node)>;

  Calling(Call in_forward, Call in_backward)
      : in_forward_(std::move(in_forward)),
        in_backward_(std::move(in_backward)) {}

  std::string_view label() const override { return "calling"; }
  Arrays forward(const Arrays& in) override {
    if (in_forward_) in_forward_(*this);
    return {in[0].copy()};
  }
  Variables backward(const Indexes& /*wanted*/, const Variables& gy) override {
    if (in_backward_) in_backward_(*this);
    return {gy[0]};
  }

 private:
  Call in_forward_;
  Call in_backward_;
};

Variable call_in_forward(const Calling::Call& call) {
  return apply<Calling>({variable({2})}, call, nullptr);
}
Variable call_in_backward(const Calling::Call& call) {
  return apply<Calling>({variable({2})}, nullptr, call);
}

ArgumentCases nodes() {
  return {
      {"FunctionNode::is_differentiated", "index",
       [](int64_t n) {
         return call_in_forward(
             [=](auto& node) { node.is_differentiated(as_int(n)); });
       }},
      {"FunctionNode::retain_input", "index",
       [](int64_t n) {
         return call_in_forward(
             [=](auto& node) { node.retain_input(as_int(n)); });
       }},
      {"FunctionNode::retain_inputs", "indexes",
       [](int64_t n) {
         return call_in_forward([=](auto& node) {
           node.retain_inputs({0, as_int(n)});
         });
       }},
      {"FunctionNode::retain_output", "index",
       [](int64_t n) {
         return call_in_forward(
             [=](auto& node) { node.retain_output(as_int(n)); });
       }},
      {"FunctionNode::retain_outputs", "indexes",
       [](int64_t n) {
         return call_in_forward([=](auto& node) {
           node.retain_outputs({0, as_int(n)});
         });
       }},
      {"FunctionNode::retained_input", "index",
       [](int64_t n) {
         return call_in_backward(
             [=](auto& node) { touch(node.retained_input(as_int(n))); });
       }},
      {"FunctionNode::retained_input_array", "index",
       [](int64_t n) {
         return call_in_backward(
             [=](auto& node) { touch(node.retained_input_array(as_int(n))); });
       }},
      {"FunctionNode::retained_output", "index",
       [](int64_t n) {
         return call_in_backward(
             [=](auto& node) { touch(node.retained_output(as_int(n))); });
       }},
      {"FunctionNode::retained_output_array", "index",
       [](int64_t n) {
         return call_in_backward(
             [=](auto& node) { touch(node.retained_output_array(as_int(n))); });
       }},
      {"FunctionNode::kept_input", "index",
       [](int64_t n) {
         return call_in_backward(
             [=](auto& node) { touch(node.kept_input(as_int(n))); });
       }},
      {"Parameter", "shape",
       [](const Shape& shape) { return Parameter(0.0, shape).data(); }},
      {"Parameter::initialize", "shape",
       [](const Shape& shape) {
         const Parameter parameter(0.0);
         parameter.initialize(shape);
         return parameter.data();
       }},
  };
}

Variable square(const Variables& xs) { return functions::square(xs[0]); }

ArgumentCases checks() {
  using gradient_check::CheckOptions;
  const auto check = [](const CheckOptions& options) {
    gradient_check::check_backward(square, {floats({2})}, {floats({2})}, {},
                                   options);
  };
  const auto check_twice = [](const CheckOptions& options) {
    gradient_check::check_double_backward(square, {floats({2})}, {floats({2})},
                                          {floats({2})}, {}, {}, options);
  };
  return {
      {"gradient_check::check_backward", "max_elements",
       [=](int64_t n) { check({.max_elements = n}); }},
      {"gradient_check::check_backward", "directions",
       [=](int64_t n) {
         // 2^31 - 1 directions are allowed, and take long.
         if (n != INT32_MAX) check({.directions = as_int(n)});
       }},
      {"gradient_check::check_backward", "seed",
       [=](int64_t n) { check({.seed = static_cast<uint64_t>(n)}); }},
      {"gradient_check::check_double_backward", "max_elements",
       [=](int64_t n) { check_twice({.max_elements = n}); }},
      {"gradient_check::check_double_backward", "directions",
       [=](int64_t n) {
         if (n != INT32_MAX) check_twice({.directions = as_int(n)});
       }},
      {"gradient_check::check_double_backward", "seed",
       [=](int64_t n) { check_twice({.seed = static_cast<uint64_t>(n)}); }},
  };
}

}  // namespace

ArgumentCases core_cases() {
  ArgumentCases cases = shapes();
  for (const ArgumentCases& more : {devices(), nodes(), checks()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return cases;
}

}  // namespace catena::testing
