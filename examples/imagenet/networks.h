#pragma once

#include <string>

#include "catena/array/core/error.h"
#include "catena/examples/imagenet/alex.h"
#include "catena/examples/imagenet/googlenet.h"
#include "catena/examples/imagenet/googlenetbn.h"
#include "catena/examples/imagenet/nin.h"
#include "catena/examples/imagenet/resnet50.h"

namespace catena::examples {

// Calls a function template for the class of the network of that name:
//
//   with_network("nin", []<class Net>() { Net model(1000); ... });
//
// Throws ValueError when there is none.
template <class Function>
void with_network(const std::string& name, const Function& function) {
  if (name == "alex") return function.template operator()<Alex>();
  if (name == "googlenet") return function.template operator()<GoogLeNet>();
  if (name == "googlenetbn") return function.template operator()<GoogLeNetBN>();
  if (name == "nin") return function.template operator()<NIN>();
  if (name == "resnet50") return function.template operator()<ResNet50>();
  if (name == "resnext50") return function.template operator()<ResNeXt50>();
  raise<ValueError>("expected alex, googlenet, googlenetbn, nin, resnet50 or ",
                    "resnext50, got '", name, "'");
}

}  // namespace catena::examples
