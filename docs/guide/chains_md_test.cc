// The code of chains.md: compiled, run, and compared with the page.

#include "catena/docs/guide/chains_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using catena::testing::IsArray;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

std::string paths_of(const Link& link) {
  std::string paths;
  for (const auto& [path, parameter] : link.namedparams()) paths += path + " ";
  return paths;
}

TEST(ChainsPageTest, LinksAndAFunctionAreAModel) {
  L::Linear l1(4, 3);
  L::Linear l2(3, 2);
  const auto forward = [&](const Variable& x) { return l2(F::relu(l1(x))); };
  EXPECT_EQ(forward(xp::ones({5, 4}, Dtype::kFloat32)).shape(), (Shape{5, 2}));
}

class MLP : public Chain<MLP> {
 public:
  MLP(int64_t units, int64_t classes)
      : l1(this, "l1", 4, units), l2(this, "l2", units, classes) {}

  Variable forward(const Variable& x) { return l2(F::relu(l1(x))); }

 private:
  Child<L::Linear> l1, l2;
};

class Autoencoder : public Chain<Autoencoder> {
 public:
  Autoencoder()
      : encoder(this, "encoder", 8, 2), decoder(this, "decoder", 2, 4) {}

  Variable forward(const Variable& x) { return decoder(encoder(x)); }

  Child<MLP> encoder;  // parameters /encoder/l1/W, ...
  Child<L::Linear> decoder;
};

class Negative : public Chain<Negative, MLP> {
 public:
  Negative() : Chain(8, 3) {}

  Variable forward(const Variable& x) { return -MLP::forward(x); }
};

class Deep : public Callable<Deep, ChainList> {
 public:
  Deep(int64_t layers, int64_t units) {
    for (int64_t i = 0; i < layers; ++i) append(L::Linear(units, units));
  }

  Variable forward(Variable x) {
    for (int64_t i = 0; i < size(); ++i) x = F::relu(at<L::Linear>(i)(x));
    return x;
  }
};

TEST(ChainsPageTest, ADerivedChainRunsItsOwnForward) {
  Negative model;
  const Variable x(xp::ones({5, 4}, Dtype::kFloat32));
  MLP& base = model;
  EXPECT_THAT(model(x).data(), IsArray(-base(x).data()));
}

TEST(ChainsPageTest, ChildrenHaveNames) {
  ::testing::internal::CaptureStdout();
  MLP model(8, 3);
  const Variable y = model(xp::ones({5, 4}, Dtype::kFloat32));  // (5, 3)
  for (const auto& [path, parameter] : model.namedparams()) {
    std::cout << path << ' ' << parameter.shape() << '\n';
  }
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "/l1/W (8, 4)\n/l1/b (8,)\n/l2/W (3, 8)\n/l2/b (3,)\n");
  EXPECT_EQ(y.shape(), (Shape{5, 3}));
  EXPECT_THAT(L::summary(model), HasSubstr("/l1/W"));
}

TEST(ChainsPageTest, ChainsNest) {
  Autoencoder model;
  EXPECT_EQ(paths_of(model),
            "/decoder/W /decoder/b "
            "/encoder/l1/W /encoder/l1/b /encoder/l2/W /encoder/l2/b ");
  const Array x = xp::ones({5, 4}, Dtype::kFloat32);
  EXPECT_EQ(model(x).shape(), x.shape());
  EXPECT_EQ(model.decoder->W.shape(), (Shape{4, 2}));
}

TEST(ChainsPageTest, ListsHaveNumbers) {
  Deep model(3, 4);
  EXPECT_EQ(paths_of(model), "/0/W /0/b /1/W /1/b /2/W /2/b ");
  EXPECT_EQ(model(xp::ones({5, 4}, Dtype::kFloat32)).shape(), (Shape{5, 4}));
}

TEST(ChainsPageTest, SequencesNeedNoClass) {
  Sequential model(
      L::Linear(4, 8), F::relu,
      [](const Variable& h) { return F::dropout(h, {.ratio = 0.2}); },
      L::Linear(8, 3));
  Sequential block(L::Linear(8, 8), F::relu);
  Sequential deep = block.repeat(3);  // each with parameters of its own
  deep.append(L::Linear(8, 3));
  EXPECT_EQ(model(xp::ones({5, 4}, Dtype::kFloat32)).shape(), (Shape{5, 3}));
  EXPECT_EQ(deep(xp::ones({5, 8}, Dtype::kFloat32)).shape(), (Shape{5, 3}));
  EXPECT_EQ(paths_of(model), "/0/W /0/b /3/W /3/b ");
  EXPECT_THAT(deep.at<L::Linear>(0).W.array(),
              Not(IsArray(deep.at<L::Linear>(2).W.array())));
  L::Linear l1(4, 4);
  Sequential twice(l1, l1);
  EXPECT_FALSE(twice.at<L::Linear>(0).W.is_same(twice.at<L::Linear>(1).W));
}

TEST(ChainsPageTest, ChildrenAreFoundByName) {
  MLP model(8, 3);
  L::Linear& extra = model.add_link("extra", L::Linear(3, 1));
  Link& found = model["extra"];
  EXPECT_EQ(&found, &extra);
  EXPECT_THAT(paths_of(model), HasSubstr("/extra/W"));
}

class Unregistered : public Chain<Unregistered> {
 public:
  Unregistered() : l1(4, 3) {}
  Variable forward(const Variable& x) { return l1(x); }

 private:
  L::Linear l1;
};

TEST(ChainsPageTest, SetupFindsMembersThatAreNoChildren) {
  Unregistered model;
  optimizers::SGD optimizer;
  EXPECT_THAT(
      [&] { optimizer.setup(model); },
      ThrowsMessage<ValueError>(HasSubstr(
          "has a member of type catena::links::Linear that is not registered "
          "as a child; declare it as Child<catena::links::Linear>")));
}

TEST(ChainsPageTest, AClassifierHasACopy) {
  MLP mlp(8, 3);
  L::Classifier copied(mlp);
  L::Classifier model(MLP(8, 3));
  copied.predictor->params()[0].array().fill(0);
  EXPECT_NE(mlp.params()[0].array().max().item<float>(), 0);
  EXPECT_EQ(paths_of(*model.predictor), paths_of(mlp));
}

TEST(ChainsPageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("docs/guide/chains.md",
                                       "docs/guide/chains_md_test.cc", 9);
}

}  // namespace
