// What a kernel that runs on the host shares with the emulator that runs it: its place in the grid, and barriers.
#pragma once

struct EmulatedIndex {
  unsigned x, y, z;
};

struct EmulatedState {
  EmulatedIndex thread, block, threads, blocks;  // threadIdx, blockIdx, blockDim, gridDim
  char* shared;                                  // the block's memory whose size the launch says
  void (*wait)(bool warp_only);                  // until all threads of the block, or of the warp, are here
  void (*check)(const void* arguments, unsigned long bytes);  // ends the process where one is an address of the host's
  unsigned long long exchanged[1024][2];                      // what each thread shows to the others of its warp
};
