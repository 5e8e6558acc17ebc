#pragma once

// All of catena, for programs; libraries include single headers.
// Written by tools/reference_pages; do not edit.
#include "catena/array/all.h"
#include "catena/autograd/autograd.h"
#include "catena/dataset/dataset.h"
#include "catena/functions/functions.h"
#include "catena/links/links.h"
#include "catena/optimizers/optimizers.h"
#include "catena/serializers/serializers.h"
#include "catena/training/training.h"
