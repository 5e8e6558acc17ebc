#pragma once

// All of autograd, for programs; libraries include single headers.
// Written by tools/reference_pages; do not edit.
#include "catena/autograd/computational_graph.h"
#include "catena/autograd/config.h"
#include "catena/autograd/debug.h"
#include "catena/autograd/deferred_gradient.h"
#include "catena/autograd/experimental.h"
#include "catena/autograd/function.h"
#include "catena/autograd/function_hook.h"
#include "catena/autograd/function_hooks/cuda_profile_hook.h"
#include "catena/autograd/function_hooks/memory_profile_hook.h"
#include "catena/autograd/function_hooks/print_hook.h"
#include "catena/autograd/function_hooks/timer_hook.h"
#include "catena/autograd/function_hooks/trace_hook.h"
#include "catena/autograd/function_node.h"
#include "catena/autograd/gradient_check.h"
#include "catena/autograd/numerical_grad.h"
#include "catena/autograd/parameter.h"
#include "catena/autograd/type_check.h"
#include "catena/autograd/type_check_terms.h"
#include "catena/autograd/variable.h"
#include "catena/autograd/variable_node.h"
