// What a program shares with libcatena.so: exceptions, templates and the choice
// of kernels. `use_everything baseline` expects the kernels that
// CATENA_CPU_TARGET names.

#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "catena/caffe/caffe_function.h"
#include "catena/catena.h"
#include "catena/training/communicators/thread_communicator.h"

namespace xp = catena::array;
namespace communicators = catena::training::communicators;

namespace {

// The kernels for this machine if no variable names others.
std::string_view best_kernels() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512bw")) return "avx512";
  if (__builtin_cpu_supports("avx2")) return "avx2";
#endif
  return "baseline";
}

template <class Exception, class Call>
bool throws(Call call) {
  try {
    call();
  } catch (const Exception& error) {
    return true;
  }
  return false;
}

int failures = 0;

void check(bool holds, std::string_view what) {
  std::cout << (holds ? "ok      " : "FAILED  ") << what << "\n";
  failures += holds ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string info = catena::runtime_info();
  std::cout << info;
  const std::string expected(argc > 1 ? argv[1] : best_kernels());
  check(info.find(" " + expected + " kernels in use") != std::string::npos,
        "kernels: " + expected);

  const catena::Array x = xp::arange(10, catena::Dtype::kFloat32);
  check(xp::sum(xp::exp(x) - xp::exp(x)).item<float>() == 0, "kernels run");
  const catena::Array shifted =
      xp::elementwise([](float value) { return value + 1; }, x);
  check(xp::sum(shifted).item<float>() == 55, "a lambda as kernel");

  check(throws<catena::ShapeError>([&] {
          x.reshape({3, 4});
        }),
        "an exception of the library's has its type here");
  check(throws<catena::IoError>(
            [] { catena::caffe::CaffeFunction::from_bytes("no network"); }),
        "the library for Caffe is there");
  check(communicators::ThreadCommunicator::create(2).size() == 2,
        "communicators are there");
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
