"""The real NVRTC on kernels' texts: it needs no GPU.

`python real_compiler.py FOLDER 80 90 100` compiles the texts that EMULATED_TEXTS=FOLDER kept of runs on the emulated
GPU for these architectures; with `--by-turns` each text for one of them.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from multiprocessing import Pool
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


@cache
def own_compiler() -> RealCompiler:
    where = library()
    assert where, "pip install nvidia-cuda-nvrtc"
    return RealCompiler(str(where))


def complaint(task: tuple[Path, int]) -> str:
    path, architecture = task
    log = own_compiler().compile(path.read_text(), architecture)
    return f"{path.name} for sm_{architecture}: {log[:1500]}" if log else ""


def main(folder: str, *arguments: str) -> int:
    architectures = [int(a) for a in arguments if a.isdigit()]
    texts = sorted(Path(folder).glob("*.cu"))
    if "--by-turns" in arguments:
        tasks = [(text, architectures[i % len(architectures)]) for i, text in enumerate(texts)]
    else:
        tasks = [(text, architecture) for text in texts for architecture in architectures]
    with Pool(2) as pool:
        failed = [log for log in pool.imap_unordered(complaint, tasks, chunksize=8) if log]
    print(*failed, sep="\n")
    print(f"{len(tasks) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed or not tasks else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
