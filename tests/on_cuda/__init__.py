"""Programs that compare the GPU with the CPU, each a process of its own: on a real GPU, or on the emulated one."""
