// A source of random numbers on one device: PyTorch's Mersenne Twister on the CPU, Philox on a GPU.
#pragma once
#include <variant>

#include "backends/mersenne_twister.hpp"
#include "backends/philox.hpp"
#include "tensor/device.hpp"

namespace chainrule {

class Generator {
 public:
  explicit Generator(Device device = Device::CPU);

  Device device() const { return device_; }
  void manual_seed(uint64_t seed);
  // Takes a fresh non-deterministic seed and returns it.
  uint64_t seed();
  uint64_t initial_seed() const;

  size_t state_bytes() const;
  void get_state(uint8_t* out) const;
  void set_state(const uint8_t* state, size_t bytes);

  // What a backend draws from. Throws std::runtime_error, in PyTorch's words, where the generator is of another device.
  MersenneTwister& twister();
  Philox& philox();

 private:
  Device device_;
  std::variant<MersenneTwister, Philox> engine_;
};

// That of the device, with a non-deterministic seed if nobody has given it one. No driver is opened for it.
Generator& default_generator(Device device);
// Seeds the default generators of all GPUs, now or when they are first asked for.
void seed_all_gpus(uint64_t seed);

}  // namespace chainrule
