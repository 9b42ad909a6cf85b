// Runs the kernels of gemm_bfloat16.isa.cpp on any machine with AVX-512: instructions that the processor does not have
// are carried out by a signal handler, from their bytes. Exits with 0 when both kernels multiply as the plain one does.
#include <signal.h>
#include <ucontext.h>

#include <cstdio>
#include <cstring>

#define CR_ISA v4
#include "backends/cpu/gemm_bfloat16.isa.cpp"

namespace chainrule::cpu {
void* gemm_scratch(size_t, GemmScratch) { return nullptr; }  // blocks are multiplied here, not whole matrices
}  // namespace chainrule::cpu

namespace {

uint8_t tiles[8][16][64];
bool configured = false;

struct Machine {
  ucontext_t& context;
  const uint8_t* at;  // the instruction

  [[noreturn]] void give_up(const char* why) const {
    fprintf(stderr, "%s:", why);
    for (int i = 0; i < 12; ++i) fprintf(stderr, " %02x", at[i]);
    fprintf(stderr, "\n");
    _exit(3);
  }
  void go_on(int64_t bytes) { context.uc_mcontext.gregs[REG_RIP] += bytes; }

  int64_t general(int number) const {
    static const int kOrder[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                   REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    return context.uc_mcontext.gregs[kOrder[number]];
  }

  // The 16 bytes at `part` of a 64-byte register, in the layout of the processor's XSAVE instruction.
  uint8_t* vector(int number, int part) const {
    auto* saved = reinterpret_cast<uint8_t*>(context.uc_mcontext.fpregs);
    if (number >= 16) return saved + 1664 + (number - 16) * 64 + part * 16;
    if (part == 0) return saved + 160 + number * 16;
    if (part == 1) return saved + 576 + number * 16;
    return saved + 1152 + number * 32 + (part - 2) * 16;
  }
};

struct Memory {
  uint8_t* base;
  int64_t index;  // of tiles: bytes from row to row
  int64_t bytes;  // of the operand in the instruction
};

// The memory operand that begins with the byte ModRM.
Memory memory_operand(const Machine& m, const uint8_t* modrm, int index_high, int base_high) {
  const int mode = modrm[0] >> 6, low = modrm[0] & 7;
  const uint8_t* next = modrm + 1;
  int64_t address, index = 0;
  if (low == 4) {
    const int sib = *next++, number = ((sib >> 3) & 7) | index_high;
    if ((sib & 7) == 5 && mode == 0) m.give_up("no base");
    address = m.general((sib & 7) | base_high);
    if (number != 4) index = m.general(number) << (sib >> 6);
  } else {
    if (mode == 0 && low == 5) m.give_up("relative address");
    address = m.general(low | base_high);
  }
  if (mode == 1) address += static_cast<int8_t>(*next++);
  if (mode == 2) {
    int32_t displacement;
    memcpy(&displacement, next, 4);
    address += displacement;
    next += 4;
  }
  return {reinterpret_cast<uint8_t*>(address), index, next - modrm};
}

float element(const uint8_t* bytes) {
  uint16_t half;
  memcpy(&half, bytes, 2);
  return chainrule::cpu::v4::to_float(chainrule::cpu::BFloat16Bits(half));
}

// sum += the products of two pairs.
void add_pairs(uint8_t* sum, const uint8_t* a, const uint8_t* b) {
  float value;
  memcpy(&value, sum, 4);
  value += element(a) * element(b) + element(a + 2) * element(b + 2);
  memcpy(sum, &value, 4);
}

void multiply_tiles(int sum, int a, int b) {
  for (int m = 0; m < 16; ++m) {
    for (int k = 0; k < 16; ++k) {
      for (int n = 0; n < 16; ++n) add_pairs(tiles[sum][m] + 4 * n, tiles[a][m] + 4 * k, tiles[b][k] + 4 * n);
    }
  }
}

// All tiles of the kernel have 16 rows of 64 bytes.
void configure(const Machine& m, const uint8_t* from) {
  const chainrule::cpu::v4::TileConfiguration expected;
  if (memcmp(from, &expected, 64) != 0 || expected.row_bytes[7] != 64 || expected.rows[7] != 16) m.give_up("tiles");
  memset(tiles, 0, sizeof tiles);
  configured = true;
}

void tile_instruction(Machine m) {
  const uint8_t* p = m.at;
  const int index_high = p[1] & 0x40 ? 0 : 8, base_high = p[1] & 0x20 ? 0 : 8;
  const int third = (~p[2] >> 3) & 15, prefix = p[2] & 3, code = p[3], first = (p[4] >> 3) & 7, second = p[4] & 7;
  const bool registers = p[4] >> 6 == 3;
  if ((p[1] & 31) != 2) m.give_up("unknown map");
  const int kind = code << 4 | prefix;
  const Memory memory = registers ? Memory{nullptr, 0, 1} : memory_operand(m, p + 4, index_high, base_high);
  if (kind == 0x490 && !registers) {
    configure(m, memory.base + memory.index);
  } else if (!configured) {
    m.give_up("no configuration");
  } else if (kind == 0x490 && p[4] == 0xC0) {
    configured = false;
  } else if (kind == 0x493 && registers) {
    memset(tiles[first], 0, sizeof tiles[first]);
  } else if (kind == 0x4B3 && !registers) {
    for (int i = 0; i < 16; ++i) memcpy(tiles[first][i], memory.base + memory.index * i, 64);
  } else if (kind == 0x4B2 && !registers) {
    for (int i = 0; i < 16; ++i) memcpy(memory.base + memory.index * i, tiles[first][i], 64);
  } else if (kind == 0x5C2 && registers) {
    multiply_tiles(first, second, third);
  } else {
    m.give_up("unknown instruction");
  }
  m.go_on(4 + memory.bytes);
}

void dot_instruction(Machine m) {
  const uint8_t* p = m.at;
  if ((p[1] & 7) != 2 || (p[2] & 3) != 2 || p[4] != 0x52 || p[5] >> 6 != 3) m.give_up("unknown instruction");
  const int sum = ((p[5] >> 3) & 7) | (p[1] & 0x80 ? 0 : 8) | (p[1] & 0x10 ? 0 : 16);
  const int a = ((~p[2] >> 3) & 15) | (p[3] & 8 ? 0 : 16);
  const int b = (p[5] & 7) | (p[1] & 0x20 ? 0 : 8) | (p[1] & 0x40 ? 0 : 16);
  for (int part = 0; part < 4; ++part) {
    for (int i = 0; i < 16; i += 4) add_pairs(m.vector(sum, part) + i, m.vector(a, part) + i, m.vector(b, part) + i);
  }
  m.go_on(6);
}

void on_illegal_instruction(int, siginfo_t*, void* context) {
  auto& state = *static_cast<ucontext_t*>(context);
  const Machine m{state, reinterpret_cast<const uint8_t*>(state.uc_mcontext.gregs[REG_RIP])};
  if (m.at[0] == 0xC4) return tile_instruction(m);
  if (m.at[0] == 0x62) return dot_instruction(m);
  m.give_up("unknown prefix");
}

using namespace chainrule::cpu;
using namespace chainrule::cpu::v4;

bool agrees_on(BlockKernel kernel, int64_t rows) {
  alignas(64) BFloat16Bits a[3 * kStepSize], b[3 * kStepSize];
  alignas(64) float sums[kBlock * kBlock], expected[kBlock * kBlock];
  for (int64_t i = 0; i < 3 * kStepSize; ++i) {
    a[i] = whole_number(i * 11 % 19 - 9);
    b[i] = whole_number(i * 3 % 7 - 3);
  }
  kernel(3, rows, a, b, sums);
  plain_block(3, rows, a, b, expected);
  return memcmp(sums, expected, rows * kBlock * sizeof(float)) == 0;
}

}  // namespace

int main() {
  struct sigaction action = {};
  action.sa_sigaction = on_illegal_instruction;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGILL, &action, nullptr);
  may_use_tiles();  // asks for them, where there are any
  for (BlockKernel kernel : {tile_block, dot_block}) {
    if (!agrees(kernel)) return 1;
    for (int64_t rows : {1, 7, 8, 9, 16, 17, 32}) {
      if (!agrees_on(kernel, rows)) return 2;
    }
  }
  puts("both kernels agree");
}
