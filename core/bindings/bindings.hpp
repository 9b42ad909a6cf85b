// One function per room of operations; each calls define() for its names.
#pragma once
#include <Python.h>

namespace chainrule {

void bind_elementwise();
void bind_views();
void bind_creation();
void bind_random();
void bind_reductions();
void bind_matmul();
void bind_fft();
void bind_joining();
void bind_indexing();
void bind_networks();
void bind_masked();
void bind_view_copies();
void bind_layout();
void bind_ordering();
void bind_convolutions();
void bind_pools();
void bind_images();
void bind_optimisers();
void bind_recurrent();
void bind_sparse();
void bind_tensor_methods();
void bind_python_operations();
void bind_dtype_conversions();
void bind_generator(PyObject* module);
void bind_lapack(PyObject* module);
void bind_cuda(PyObject* module);

}  // namespace chainrule
