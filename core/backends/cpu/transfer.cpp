#include "backends/transfer.hpp"

#include <cstring>

#include "backends/cpu/kernels.hpp"

namespace chainrule::cpu {
namespace {

void copy(const Transfer& t) { std::memcpy(t.to, t.from, static_cast<size_t>(t.bytes)); }

}  // namespace

constinit const TransferKernels transfer_kernels{{copy}};

}  // namespace chainrule::cpu
