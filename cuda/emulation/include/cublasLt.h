#pragma once

// The part of cublasLt that catena names.

#include "cublas_v2.h"

struct cublasLtContext;
using cublasLtHandle_t = cublasLtContext*;
