// What stands before a compiled kernel, so that the driver knows how long it is.
#pragma once
#include <cstdint>

constexpr char kImageMagic[8] = {'e', 'm', 'u', 'l', 'a', 't', 'e', 'd'};
struct EmulatedImage {
  char magic[8];
  uint64_t bytes;
  uint64_t waits;  // whether its threads wait for each other
};
