// The memory of the emulated GPU, which is closed to the host but for copies and kernels.
#pragma once

void open_memory();
void close_memory();

struct Opened {
  Opened() { open_memory(); }
  ~Opened() { close_memory(); }
  Opened(const Opened&) = delete;
};
