// The CPU's executor of chains beside plain loops.
#include "backends/chain.hpp"

#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "backends/cpu/thread_pool.hpp"
#include "backends/matmul.hpp"
#include "check.hpp"
#include "tensor/thresholds.hpp"

using namespace chainrule;

namespace {

using Floats = std::vector<float>;

Floats ramp(int64_t n, float from, float step) {
  Floats x(static_cast<size_t>(n));
  for (size_t i = 0; i < x.size(); ++i) x[i] = from + step * static_cast<float>(i % 97);
  return x;
}

ChainInput input(const Floats& x, Dims strides) {
  return {reinterpret_cast<const char*>(x.data()), DType::Float32, std::move(strides)};
}
ChainInput number(double value) { return {.number = Scalar(value)}; }

ChainOutput output(ChainOperand value, Floats& to, Span strides) {
  return {value, reinterpret_cast<char*>(to.data()), DType::Float32, strides};
}

constexpr ChainOperand in(int i) { return ChainOperand::input(i); }
constexpr ChainOperand step(int i) { return ChainOperand::step(i); }

struct Restored {
  Thresholds before = thresholds;
  int threads = cpu::num_threads();
  ~Restored() {
    thresholds = before;
    cpu::set_num_threads(threads);
  }
};

// Runs f as programs do, and with every way for large tensors taken from one element on.
template <class F>
void both_ways(F f) {
  const Restored restored;
  f();
  thresholds = {.name = "least", .stream = 1, .stream_chain = 1, .small_chunks = true};
  cpu::set_num_threads(3);
  f();
}

void run(Span sizes, const std::vector<ChainInput>& inputs, const std::vector<ChainStep>& steps,
         const std::vector<ChainOutput>& outputs, DType dtype = DType::Float32) {
  backend().chain->run({sizes, dtype, inputs, steps, outputs});
}

}  // namespace

TEST_THAT(several_steps_and_outputs) {
  both_ways([] {
    for (int64_t n : {1, 2, 255, 256, 257, 5000, 70'001}) {
      const Floats a = ramp(n, -3, 0.25F), b = ramp(n, 0.5F, 0.5F);
      Floats sum(a.size()), product(a.size());
      const int64_t next = 1;
      // product = (a + b) * b * 2; the sum is kept as well
      run({&n, 1}, {input(a, {1}), input(b, {1}), number(2)},
          {{.op = OpId::add, .operands = {in(0), in(1)}},
           {.op = OpId::mul, .operands = {step(0), in(1)}},
           {.op = OpId::mul, .operands = {step(1), in(2)}}},
          {output(step(0), sum, {&next, 1}), output(step(2), product, {&next, 1})});
      int wrong = 0;
      for (size_t i = 0; i < a.size(); ++i) wrong += sum[i] != a[i] + b[i] || product[i] != (a[i] + b[i]) * b[i] * 2;
      EXPECT(wrong == 0);
    }
  });
}

TEST_THAT(broadcast_turned_and_reversed_operands) {
  both_ways([] {
    const int64_t rows = 37, columns = 300;
    const Dims sizes{rows, columns}, strides{columns, 1};
    const Floats turned = ramp(rows * columns, 1, 1), row = ramp(columns, -2, 0.5F), column = ramp(rows, 5, 2);
    Floats out(turned.size());
    ChainInput backwards = input(row, {0, -1});
    backwards.data += (columns - 1) * static_cast<int64_t>(sizeof(float));
    run(sizes, {input(turned, {1, rows}), backwards, input(column, {1, 0})},
        {{.op = OpId::mul, .operands = {in(0), in(1)}}, {.op = OpId::sub, .operands = {step(0), in(2)}}},
        {output(step(1), out, strides)});
    int wrong = 0;
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t k = 0; k < columns; ++k) {
        const auto r = static_cast<size_t>(i), c = static_cast<size_t>(columns - 1 - k);
        const float product = turned[static_cast<size_t>(k * rows + i)] * row[c];
        wrong += out[static_cast<size_t>(i * columns + k)] != product - column[r];
      }
    }
    EXPECT(wrong == 0);
  });
}

TEST_THAT(an_output_lies_where_an_input_does) {
  both_ways([] {
    const int64_t n = 10'000, next = 1;
    Floats a = ramp(n, 1, 1);
    const Floats before = a, b = ramp(n, 2, 3);
    run({&n, 1}, {input(a, {1}), input(b, {1})}, {{.op = OpId::add, .operands = {in(0), in(1)}}},
        {output(step(0), a, {&next, 1})});
    int wrong = 0;
    for (size_t i = 0; i < a.size(); ++i) wrong += a[i] != before[i] + b[i];
    EXPECT(wrong == 0);
  });
}

TEST_THAT(a_gradient_is_a_step) {
  both_ways([] {
    const int64_t n = 3000, next = 1;
    const Floats g = ramp(n, 1, 0.5F), a = ramp(n, -1, 0.25F), b = ramp(n, 4, 1);
    Floats of_a(g.size()), of_b(g.size());
    const ChainStep of_first{.op = OpId::mul, .gradient = 0, .operands = {in(0), ChainOperand(), in(2)}};
    const ChainStep of_second{.op = OpId::mul, .gradient = 1, .operands = {in(0), in(1)}};
    run({&n, 1}, {input(g, {1}), input(a, {1}), input(b, {1})}, {of_first, of_second},
        {output(step(0), of_a, {&next, 1}), output(step(1), of_b, {&next, 1})});
    int wrong = 0;
    for (size_t i = 0; i < g.size(); ++i) wrong += of_a[i] != g[i] * b[i] || of_b[i] != g[i] * a[i];
    EXPECT(wrong == 0);
  });
}

TEST_THAT(a_chain_without_steps_copies_and_converts) {
  both_ways([] {
    const int64_t n = 1000, next = 1;
    std::vector<int64_t> whole(static_cast<size_t>(n));
    std::iota(whole.begin(), whole.end(), -500);
    Floats out(whole.size());
    const ChainInput numbers{reinterpret_cast<const char*>(whole.data()), DType::Int64, {1}};
    run({&n, 1}, {numbers}, {}, {output(in(0), out, {&next, 1})});
    int wrong = 0;
    for (size_t i = 0; i < whole.size(); ++i) wrong += out[i] != static_cast<float>(whole[i]);
    EXPECT(wrong == 0);
  });
}

TEST_THAT(no_elements_are_no_work) {
  const Dims sizes{3, 0, 2}, strides{0, 0, 0};
  Floats out{7};
  run(sizes, {input(out, strides), input(out, strides)}, {{.op = OpId::add, .operands = {in(0), in(1)}}},
      {output(step(0), out, strides)});
  EXPECT(out[0] == 7);
}

TEST_THAT(integers_note_a_division_by_zero_once) {
  const int64_t n = 3, next = 1;
  const std::vector<int64_t> a{7, -7, 9}, b{2, 2, 0};
  std::vector<int64_t> out(3);
  auto whole = [](const std::vector<int64_t>& x) {
    return ChainInput{reinterpret_cast<const char*>(x.data()), DType::Int64, {1}};
  };
  backend().chain->divided_by_zero();
  run({&n, 1}, {whole(a), whole(b)}, {{.op = OpId::floor_divide, .operands = {in(0), in(1)}}},
      {{step(0), reinterpret_cast<char*>(out.data()), DType::Int64, {&next, 1}}}, DType::Int64);
  EXPECT(out[0] == 3);
  EXPECT(out[1] == -4);
  EXPECT(backend().chain->divided_by_zero());
  EXPECT(!backend().chain->divided_by_zero());
}

// A product that hands over blocks: what is given is twice the place.
TEST_THAT(rows_that_come_in_blocks) {
  both_ways([] {
    const int64_t rows = 50, width = 40, count = rows * width;
    const Dims sizes{rows, width}, strides{width, 1};
    const Floats other = ramp(count, 1, 2), bias = ramp(width, -4, 1);
    Floats out(static_cast<size_t>(count));
    std::vector<ChainInput> inputs{{.dtype = DType::Float32}, input(other, strides), input(bias, {0, 1})};
    const std::vector<ChainStep> steps{{.op = OpId::add, .operands = {in(0), in(2)}},
                                       {.op = OpId::mul, .operands = {step(0), in(1)}}};
    const std::vector<ChainOutput> outputs{output(step(1), out, strides)};
    auto give = [&](const GemmFinish& finish) {
      for (int64_t row = 0; row < rows; row += 7) {
        for (int64_t column = 0; column < width; column += 16) {
          const int64_t high = std::min<int64_t>(7, rows - row), wide = std::min<int64_t>(16, width - column);
          Floats block;
          for (int64_t i = 0; i < high; ++i) {
            for (int64_t k = 0; k < wide; ++k) block.push_back(2 * static_cast<float>((row + i) * width + column + k));
          }
          finish(row, high, column, wide, reinterpret_cast<const char*>(block.data()));
        }
      }
    };
    backend().chain->run_on_blocks({sizes, DType::Float32, inputs, steps, outputs}, give);
    int wrong = 0;
    for (int64_t i = 0; i < count; ++i) {
      const auto at = static_cast<size_t>(i);
      wrong += out[at] != (2 * static_cast<float>(i) + bias[static_cast<size_t>(i % width)]) * other[at];
    }
    EXPECT(wrong == 0);
  });
}
