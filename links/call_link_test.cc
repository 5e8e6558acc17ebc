#include "catena/links/call_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/links/model/classifier.h"
#include "catena/links/sequential.h"

namespace catena {
namespace {

using ::testing::StartsWith;

// Calls a function that throws.
class Failing : public Callable<Failing> {
 public:
  explicit Failing(std::function<void()> fail) : fail_(std::move(fail)) {}
  Variable forward(const Variable& x) {
    fail_();
    return x;
  }

 private:
  std::function<void()> fail_;
};

class Block : public Chain<Block> {
 public:
  explicit Block(const std::function<void()>& fail) : l1(this, "l1", fail) {}
  Variable forward(const Variable& x) { return l1(x); }
  Child<Failing> l1;
};

class Net : public Chain<Net> {
 public:
  explicit Net(const std::function<void()>& fail)
      : block(this, "block", fail) {}
  Variable forward(const Variable& x) { return block(x); }
  Child<Block> block;
};

class List : public Callable<List, ChainList> {
 public:
  explicit List(const std::function<void()>& fail) {
    append(Failing([] {}));
    append(Block(fail));
  }
  Variable forward(const Variable& x) {
    return at<Block>(1)(at<Failing>(0)(x));
  }
};

// Calls itself twice before its child.
class Recursive : public Chain<Recursive> {
 public:
  explicit Recursive(const std::function<void()>& fail)
      : leaf(this, "leaf", fail) {}
  Variable forward(const Variable& x, int depth = 0) {
    return depth == 2 ? leaf(x) : (*this)(x, depth + 1);
  }
  Child<Failing> leaf;
};

class Tree : public Chain<Tree> {
 public:
  explicit Tree(const std::function<void()>& fail) : tree(this, "tree", fail) {}
  Variable forward(const Variable& x) { return tree(x); }
  Child<Recursive> tree;
};

Variable ones(const Shape& shape) {
  return Variable(array::ones(shape, Dtype::kFloat32));
}

// The message of the exception of a call, which must have exactly the type E.
template <class E, class L, class... Args>
std::string message_of(L&& link, const Args&... args) {
  try {
    link(args...);
  } catch (const E& error) {
    EXPECT_EQ(typeid(error), typeid(E));
    return error.what();
  }
  ADD_FAILURE() << "expected an exception";
  return "";
}

template <class E>
void fail() {
  throw E("op: text");
}

TEST(CallLinkTest, AnErrorNamesThePathOfItsLink) {
  const Variable x = ones({2, 3});
  const std::function<void()> f = fail<ShapeError>;
  EXPECT_EQ(message_of<ShapeError>(Failing(f), x), "op: text");
  EXPECT_EQ(message_of<ShapeError>(Block(f), x), "in link /l1: op: text");
  EXPECT_EQ(message_of<ShapeError>(Net(f), x), "in link /block/l1: op: text");
  EXPECT_EQ(message_of<ShapeError>(List(f), x), "in link /1/l1: op: text");
  EXPECT_EQ(message_of<ShapeError>(Sequential(Failing([] {}), Net(f)), x),
            "in link /1/block/l1: op: text");
  EXPECT_EQ(message_of<ShapeError>(
                Sequential(Sequential(Failing([] {}), Failing(f)), Net(f)), x),
            "in link /0/1: op: text");
  EXPECT_EQ(message_of<ShapeError>(links::Classifier(Net(f)), x, x),
            "in link /predictor/block/l1: op: text");
  Net net(f);
  EXPECT_EQ(message_of<ShapeError>(*net.block, x),
            "in link /block/l1: op: text");
  // A new call starts a new message.
  EXPECT_EQ(message_of<ShapeError>(net, x), "in link /block/l1: op: text");
}

TEST(CallLinkTest, AFunctionInASequenceIsNamedByTheSequence) {
  const auto throws = [](const Variable&) -> Variable {
    raise<ValueError>("op: text");
  };
  EXPECT_EQ(
      message_of<ValueError>(Sequential(Sequential(throws), throws), ones({1})),
      "in link /0: op: text");
}

TEST(CallLinkTest, ALinkThatCallsItselfIsNamedOnce) {
  EXPECT_EQ(message_of<ValueError>(Tree(fail<ValueError>), ones({1})),
            "in link /tree/leaf: op: text");
}

TEST(CallLinkTest, ACallWithHooksNamesItToo) {
  class Nothing : public LinkHook {
    std::string_view name() const override { return "Nothing"; }
  } hook;
  const LinkHookScope scope(hook);
  EXPECT_EQ(message_of<ValueError>(Net(fail<ValueError>), ones({1})),
            "in link /block/l1: op: text");
}

// A user's error, with more than a message.
class OwnError : public Error {
 public:
  explicit OwnError(const std::string& text) : Error(text) {}
  int code = 7;
};

template <class E>
void expect_type_kept() {
  EXPECT_EQ(message_of<E>(Net(fail<E>), ones({1})),
            "in link /block/l1: op: text");
}

TEST(CallLinkTest, ErrorsKeepTheirTypes) {
  expect_type_kept<Error>();
  expect_type_kept<ShapeError>();
  expect_type_kept<DtypeError>();
  expect_type_kept<IndexError>();
  expect_type_kept<DeviceError>();
  expect_type_kept<ValueError>();
  expect_type_kept<InvalidType>();
  expect_type_kept<GradientError>();
  expect_type_kept<NotImplementedError>();
  expect_type_kept<IoError>();
  expect_type_kept<OutOfMemoryError>();
  expect_type_kept<OwnError>();
  Net net(fail<OwnError>);
  try {
    net(ones({1}));
  } catch (const OwnError& error) {
    EXPECT_EQ(error.code, 7);
  }
}

TEST(CallLinkTest, ForeignExceptionsPassUnchanged) {
  const Variable x = ones({1});
  EXPECT_EQ(message_of<std::runtime_error>(Net(fail<std::runtime_error>), x),
            "op: text");
  EXPECT_EQ(message_of<std::logic_error>(Net(fail<std::logic_error>), x),
            "op: text");
  Net net([] { throw 5; });
  EXPECT_THROW(net(x), int);
}

TEST(CallLinkTest, AShapeThatDoesNotFitNamesTheLayer) {
  class MLP : public Chain<MLP> {
   public:
    MLP() : l1(this, "l1", 3, 4), l2(this, "l2", 5, 2) {}
    Variable forward(const Variable& x) { return l2(l1(x)); }
    Child<links::Linear> l1, l2;
  };
  links::Classifier model{MLP()};
  const Variable t(array::zeros({2}, Dtype::kInt32));
  EXPECT_THAT(message_of<InvalidType>(model, ones({2, 3}), t),
              StartsWith("in link /predictor/l2: Invalid operation is "
                         "performed in: linear (Forward)\n"));
  EXPECT_THAT(message_of<InvalidType>(model, ones({2, 4}), t),
              StartsWith("in link /predictor/l1: Invalid operation is "));
}

}  // namespace
}  // namespace catena
