#pragma once

#include "catena/links/activation/prelu.h"
#include "catena/links/connection/bilinear.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/connection/deconvolution_nd.h"
#include "catena/links/connection/embed_id.h"
#include "catena/links/connection/inception.h"
#include "catena/links/connection/inception_bn.h"
#include "catena/links/connection/linear.h"
#include "catena/links/connection/parameter.h"
#include "catena/links/loss/binary_hierarchical_softmax.h"
#include "catena/links/loss/negative_sampling.h"
#include "catena/links/normalization/batch_normalization.h"

// Aliases for links in the namespace of functions, where Chainer 1.3 had them.
// New code should use catena::links.
namespace catena::functions {

using links::BatchNormalization;
using links::Bilinear;
using links::BinaryHierarchicalSoftmax;
using links::Convolution2D;
using links::Deconvolution2D;
using links::EmbedID;
using links::Inception;
using links::InceptionBN;
using links::Linear;
using links::NegativeSampling;
using links::ParameterLink;
using links::PReLU;

}  // namespace catena::functions
