"""The real NVRTC on kernels' texts: it needs no GPU. `python real_compiler.py FOLDER ARCHITECTURE...` for texts that
EMULATED_TEXTS=FOLDER has kept of a run on the emulated GPU."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path


class RealCompiler:
    def __init__(self, library: str):
        for part in Path(library).parent.glob("libnvrtc-builtins.so*"):  # which it looks for by its bare name
            ctypes.CDLL(str(part), mode=ctypes.RTLD_GLOBAL)
        self.nvrtc = ctypes.CDLL(library)

    def compile(self, text: str, architecture: int) -> str:
        """What it complains about; nothing if it does not."""
        program = ctypes.c_void_p()
        self.nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernel.cu", 0, None, None)
        options = [b"--std=c++20", b"-default-device", b"--minimal", f"--gpu-architecture=sm_{architecture}".encode()]
        code = self.nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
        size = ctypes.c_size_t()
        self.nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        self.nvrtc.nvrtcGetProgramLog(program, log)
        self.nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
        return log.value.decode() if code else ""


def library() -> Path | None:
    """NVIDIA's own package, if it is installed."""
    found = [p for entry in sys.path for p in Path(entry or ".").glob("nvidia/*/lib/libnvrtc.so.*")]
    return found[0] if found else None


if __name__ == "__main__":
    where = library()
    assert where, "pip install nvidia-cuda-nvrtc"
    compiler = RealCompiler(str(where))
    failed = 0
    for path in sorted(Path(sys.argv[1]).glob("*.cu")):
        for architecture in map(int, sys.argv[2:]):
            if log := compiler.compile(path.read_text(), architecture):
                failed += 1
                print(path.name, architecture, log[:1500])
    print(failed, "texts failed")
