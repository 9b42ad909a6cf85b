// Copies of what kernels are told, which live as long as a recording.
#pragma once
#include <array>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "backends/bounds.hpp"
#include "backends/chain.hpp"
#include "backends/copy.hpp"
#include "backends/lapack.hpp"
#include "backends/matmul.hpp"
#include "backends/numbers.hpp"
#include "backends/padding.hpp"
#include "backends/pool.hpp"
#include "backends/recording/fields.hpp"
#include "backends/recording/recording.hpp"
#include "tensor/complex.hpp"

namespace chainrule {

// Types that hold what they hold by value.
template <class T>
inline constexpr bool kIsPlain = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <>
inline constexpr bool kIsPlain<Dims> = true;
template <>
inline constexpr bool kIsPlain<Scalar> = true;
template <>
inline constexpr bool kIsPlain<ChainOperand> = true;
template <>
inline constexpr bool kIsPlain<PaddedDimension> = true;
template <>
inline constexpr bool kIsPlain<std::vector<Window>> = true;
template <class T>
inline constexpr bool kIsPlain<Complex<T>> = true;
template <class T>
inline constexpr bool kIsPlain<std::optional<T>> = kIsPlain<T>;
template <class T, size_t n>
inline constexpr bool kIsPlain<std::array<T, n>> = kIsPlain<T>;

// What a call cannot be told again: routines by name, and blocks that go straight into what follows.
template <class T>
inline constexpr bool kIsReplayed = true;
template <>
inline constexpr bool kIsReplayed<std::string> = false;
template <>
inline constexpr bool kIsReplayed<lapack::Call> = false;
template <>
inline constexpr bool kIsReplayed<BlockSource> = false;
// Numbers on the host come out the same each time.
template <class T>
inline constexpr bool kIsOnHost = std::is_same_v<T, NumberOp>;

class Keeper {
 public:
  explicit Keeper(Recording& recording) : to_(recording) {}

  // What a field, or an argument, of the copy is initialised with.
  Generator& operator()(Generator& generator) const {
    to_.note_generator(generator);
    return generator;
  }
  template <class T>
  decltype(auto) operator()(const T& value) const {
    if constexpr (std::is_pointer_v<T>)
      return pointer(value);
    else if constexpr (kIsPlain<T>)
      return value;
    else
      return static_cast<const T&>(*copy(value));
  }
  Fill operator()(const Fill& f) const {
    const size_t bytes = size_of(f.dtype);
    return {f.dtype, f.count, to_.keep_array(f.value, bytes), (*this)(f.to)};
  }
  template <class T, size_t n>
  std::array<T, n> operator()(const std::array<T, n>& values) const {
    std::array<T, n> kept(values);
    if constexpr (!kIsPlain<T>) {
      for (size_t i = 0; i < n; ++i) kept[i] = (*this)(values[i]);
    }
    return kept;
  }
  template <class T>
  std::span<const T> operator()(const std::span<const T>& values) const {
    if constexpr (kIsPlain<T>) {
      return {to_.keep_array(values.data(), values.size()), values.size()};
    } else {
      std::vector<T> kept;
      for (const T& v : values) kept.push_back((*this)(v));
      return *to_.keep<std::vector<T>>(std::move(kept));
    }
  }
  ChainStep operator()(const ChainStep& step) const {
    ChainStep kept = step;
    if (step.parameters) kept.parameters = to_.keep_array(step.parameters, parameter_count(step.op));
    return kept;
  }

 private:
  template <class T>
  T* pointer(T* p) const {
    if constexpr (std::is_same_v<T, StrayIndex>) return to_.keep_stray();
    if constexpr (std::is_same_v<T, Bad>) return to_.keep_bad();
    if constexpr (std::is_polymorphic_v<T>) {
      if (p) to_.refuse("hands blocks of a product on");
    } else {
      to_.note_address(p);
    }
    return p;
  }
  template <class T>
  const T* copy(const T& value) const {
    return with_fields(value, [&](auto&... fields) { return to_.keep<T>((*this)(fields)...); });
  }

  Recording& to_;
};

inline void add_planned(Recording& to, std::unique_ptr<PlannedChain> chain, double multiplications) {
  const auto* kept = to.keep<std::unique_ptr<PlannedChain>>(std::move(chain));
  to.add([](const void* p) { (*static_cast<const std::unique_ptr<PlannedChain>*>(p))->run(); }, kept, multiplications);
}

template <class... Arguments>
void Kernel<void(Arguments...)>::record(double multiplications, Arguments... arguments) const {
  Recording& made = *recorder;
  {
    RecorderPause pause;
    ElementScope open;
    run(arguments...);
  }
  if constexpr ((kIsOnHost<std::remove_cvref_t<Arguments>> || ...)) return;
  if (made.is_refused()) return;
  if constexpr (!(kIsReplayed<std::remove_cvref_t<Arguments>> && ...)) {
    made.refuse("calls a routine that cannot be replayed");
  } else {
    struct Kept {
      void (*run)(Arguments...);
      std::tuple<Arguments...> arguments;
    };
    const Keeper keep(made);
    const auto* kept = made.keep<Kept>(run, std::tuple<Arguments...>(keep(arguments)...));
    if constexpr (std::is_same_v<std::tuple<Arguments...>, std::tuple<const Chain&>>) {
      if (const auto plan = backend().chain->plan)
        return add_planned(made, plan(std::get<0>(kept->arguments)), multiplications);
    }
    made.add(
        [](const void* p) {
          const auto* k = static_cast<const Kept*>(p);
          std::apply(k->run, k->arguments);
        },
        kept, multiplications);
  }
}

}  // namespace chainrule
