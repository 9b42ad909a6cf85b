#include "backends/generator.hpp"

#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>

#include "tensor/recorder.hpp"

namespace chainrule {
namespace {

uint64_t unforeseen() {
  std::random_device device;
  const uint64_t high = device();
  return (high << 32 | device()) & 0x1fffffffffffff;  // 53 bits: a seed that a double can hold
}

[[noreturn]] void refuse_device(const char* expected, Device device) {
  throw std::runtime_error(std::string("Expected a '") + expected + "' device type for generator but found '" +
                           kind_name(device.kind) + "'");
}

void check_offset(uint64_t offset) {
  if (offset % 4) throw std::runtime_error("offset must be a multiple of 4");
}

struct GpuGenerators {
  std::array<std::unique_ptr<Generator>, 256> made;  // by index
  std::optional<uint64_t> seed;                      // for those that are not made yet
};
GpuGenerators& of_gpus() {
  static GpuGenerators all;
  return all;
}

}  // namespace

void Philox::set_offset(uint64_t offset) {
  check_offset(offset);
  offset_ = offset;
}

void Philox::get_state(uint8_t* out) const {
  memcpy(out, &seed_, 8);
  memcpy(out + 8, &offset_, 8);
}

void Philox::set_state(const uint8_t* state, size_t bytes) {
  if (bytes != 8 && bytes != kStateBytes) throw std::runtime_error("RNG state is wrong size");
  uint64_t words[2] = {0, 0};
  memcpy(words, state, bytes);
  check_offset(words[1]);
  seed_ = words[0];
  offset_ = words[1];
}

Generator::Generator(Device device) : device_(device) {
  if (device.kind == DeviceKind::Cuda) engine_.emplace<Philox>();
}

namespace {

// A recorded step draws on from where the numbers are.
void tell_recorder() { cannot_replay("reads or sets the state of random numbers"); }

}  // namespace

void Generator::manual_seed(uint64_t seed) {
  tell_recorder();
  std::visit([&](auto& engine) { engine.manual_seed(seed); }, engine_);
}
uint64_t Generator::seed() {
  manual_seed(unforeseen());
  return initial_seed();
}
uint64_t Generator::initial_seed() const {
  return std::visit([](const auto& engine) { return engine.initial_seed(); }, engine_);
}

size_t Generator::state_bytes() const {
  return std::visit([](const auto& engine) { return engine.kStateBytes; }, engine_);
}
void Generator::get_state(uint8_t* out) const {
  tell_recorder();
  std::visit([&](const auto& engine) { engine.get_state(out); }, engine_);
}
void Generator::set_state(const uint8_t* state, size_t bytes) {
  tell_recorder();
  std::visit([&](auto& engine) { engine.set_state(state, bytes); }, engine_);
}

MersenneTwister& Generator::twister() {
  if (auto* engine = std::get_if<MersenneTwister>(&engine_)) return *engine;
  refuse_device("cpu", device_);
}
Philox& Generator::philox() {
  if (auto* engine = std::get_if<Philox>(&engine_)) return *engine;
  refuse_device("cuda", device_);
}

Generator& default_generator(Device device) {
  if (device.kind != DeviceKind::Cuda) {
    static Generator of_cpu = [] {
      Generator g;
      g.seed();
      return g;
    }();
    return of_cpu;
  }
  std::unique_ptr<Generator>& made = of_gpus().made[device.index];
  if (!made) {
    made = std::make_unique<Generator>(device);
    if (const auto seed = of_gpus().seed)
      made->manual_seed(*seed);
    else
      made->seed();
  }
  return *made;
}

void seed_all_gpus(uint64_t seed) {
  of_gpus().seed = seed;
  for (auto& generator : of_gpus().made) {
    if (generator) generator->manual_seed(seed);
  }
}

}  // namespace chainrule
