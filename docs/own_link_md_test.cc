// The code of own_link.md: compiled, run, and compared with the page.

#include "catena/docs/own_link_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <memory>
#include <string>
#include <string_view>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using catena::testing::IsArray;

struct AffineOptions {
  bool nobias = false;
  Initializer initialW = initializers::LeCunNormal();
};

// y = x W^T + b, with a shape that may wait for the first batch.
class Affine : public Callable<Affine> {
 public:
  explicit Affine(int64_t out_size, const AffineOptions& options = {})
      : W(this, "W", options.initialW),
        b(options.nobias ? Param() : Param(this, "b", 0, Shape{out_size})),
        out_size_(out_size) {}

  Variable forward(const Variable& x) {
    if (!W.is_initialized()) W.initialize({out_size_, x.shape()[1]});
    return F::linear(x, W, b);
  }

  Param W;  // (out_size, in_size)
  Param b;  // (out_size,); absent with nobias

 private:
  int64_t out_size_;
};

// Subtracts a running mean, which training updates.
class Centering : public Callable<Centering> {
 public:
  explicit Centering(int64_t size)
      : mean(this, "mean", xp::zeros({size}, Dtype::kFloat32)) {}

  Variable forward(const Variable& x) {
    if (config().train) {
      mean = mean * 0.9 + xp::mean(x.data(), 0) * 0.1;
    }
    return x - mean;
  }

  Persistent mean;
};

class MLP : public Chain<MLP> {
 public:
  MLP(int64_t units, int64_t classes)
      : center(this, "center", 4),
        l1(this, "l1", units),
        l2(this, "l2", classes) {}

  Variable forward(const Variable& x) { return l2(F::relu(l1(center(x)))); }

 private:
  Child<Centering> center;
  Child<Affine> l1, l2;
};

TEST(OwnLinkPageTest, MembersAreFoundByTheirNames) {
  MLP model(8, 2);
  Variable y = model(Variable(xp::ones({3, 4}, Dtype::kFloat32)));
  std::string names;
  for (const auto& [path, param] : model.namedparams()) names += path + " ";
  EXPECT_EQ(names, "/l1/W /l1/b /l2/W /l2/b ");
  EXPECT_EQ(y.shape(), Shape({3, 2}));
  EXPECT_EQ(model.count_params(), 8 * 4 + 8 + 2 * 8 + 2);
  ::testing::internal::CaptureStdout();
  std::cout << L::summary(model);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            R"(path     type       shape   elements
/        MLP
/center  Centering
/l1      Affine
/l1/W    float32    (8, 4)        32
/l1/b    float32    (8,)           8
/l2      Affine
/l2/W    float32    (2, 8)        16
/l2/b    float32    (2,)           2
total                             58
)");
}

TEST(OwnLinkPageTest, IsTrainedSavedAndCopied) {
  const std::string path = ::testing::TempDir() + "/own_link.npz";
  const Variable x(xp::ones({3, 4}, Dtype::kFloat32));
  MLP model(8, 2);
  optimizers::SGD optimizer({.lr = 0.1});
  optimizer.setup(model);
  Variable loss = optimizer.update([&] { return F::sum(F::square(model(x))); });

  MLP twin = model;                            // parameters of its own
  MLP shared = copy(model, CopyMode::kShare);  // the same arrays
  serializers::save_npz(path, model);
  serializers::load_npz(path, twin);

  const auto test = using_config(&Config::train, false);
  EXPECT_THAT(twin(x).data(), IsArray(model(x).data()));
  EXPECT_THAT(shared(x).data(), IsArray(model(x).data()));
  EXPECT_EQ(loss.ndim(), 0);
}

TEST(OwnLinkPageTest, MayBeAnElementOfASequence) {
  Sequential model(Affine(8), F::relu, Affine(2, {.nobias = true}));
  Sequential deep = model.repeat(2);
  EXPECT_EQ(deep(Variable(xp::ones({1, 3}, Dtype::kFloat32))).shape(),
            Shape({1, 2}));
  EXPECT_EQ(deep.params().size(), 6u);
}

// Counts calls.
class Counter : public LinkHook {
 public:
  std::string_view name() const override { return "Counter"; }
  void forward_preprocess(Link& /*link*/, const Variables&) override {
    ++calls;
  }
  int calls = 0;
};

TEST(OwnLinkPageTest, HooksAreCalled) {
  MLP model(8, 2);
  const Variable x(xp::ones({3, 4}, Dtype::kFloat32));
  Counter counter;
  {
    const LinkHookScope scope(counter);
    model(x);
  }
  EXPECT_EQ(counter.calls, 4);  // model, center, l1, l2

  Affine affine(3);
  affine.add_hook(std::make_shared<link_hooks::SpectralNormalization>());
  EXPECT_EQ(affine(x).shape(), Shape({3, 3}));
}

TEST(OwnLinkPageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("docs/own_link.md",
                                       "docs/own_link_md_test.cc", 8);
}

}  // namespace
