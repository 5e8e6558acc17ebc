#pragma once

#include <string>

#include "catena/links/model/googlenet.h"
#include "catena/links/model/resnet.h"
#include "catena/links/model/vgg.h"

namespace catena::caffe {

// Converts the weights of a published .caffemodel to the .npz file that a model
// in links/model loads:
//
//   convert_caffemodel_to_npz<links::VGG16Layers>(
//       "VGG_ILSVRC_16_layers.caffemodel", "VGG_ILSVRC_16_layers.npz");
//   links::VGG16Layers model("VGG_ILSVRC_16_layers.npz");
//
// In a program that links //caffe:convert_on_load, links::VGG16Layers() and so
// on convert a .caffemodel in the data set folder by themselves
// (links/model/image_model.h).
//
// Model is VGG16Layers, VGG19Layers, GoogLeNet, ResNet50Layers, ResNet101Layers
// or ResNet152Layers. (In Chainer this is a class method of each model; here
// that would make the models depend on this folder.) Throws IoError when the
// file is damaged or lacks a layer that the model needs. The .npz is written
// atomically.
template <class Model>
void convert_caffemodel_to_npz(const std::string& path_caffemodel,
                               const std::string& path_npz);

template <>
void convert_caffemodel_to_npz<links::VGG16Layers>(
    const std::string& path_caffemodel, const std::string& path_npz);
template <>
void convert_caffemodel_to_npz<links::VGG19Layers>(
    const std::string& path_caffemodel, const std::string& path_npz);
template <>
void convert_caffemodel_to_npz<links::GoogLeNet>(
    const std::string& path_caffemodel, const std::string& path_npz);
template <>
void convert_caffemodel_to_npz<links::ResNet50Layers>(
    const std::string& path_caffemodel, const std::string& path_npz);
template <>
void convert_caffemodel_to_npz<links::ResNet101Layers>(
    const std::string& path_caffemodel, const std::string& path_npz);
template <>
void convert_caffemodel_to_npz<links::ResNet152Layers>(
    const std::string& path_caffemodel, const std::string& path_npz);

}  // namespace catena::caffe
