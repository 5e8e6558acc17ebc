#pragma once

// All of serializers, for programs; libraries include single headers.
// Written by tools/reference_pages; do not edit.
#include "catena/serializers/archive.h"
#include "catena/serializers/dictionary.h"
#include "catena/serializers/hdf5.h"
#include "catena/serializers/npz.h"
#include "catena/serializers/safetensors.h"
#include "catena/serializers/serializer.h"
