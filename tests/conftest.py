"""Settings common to all tests."""

import gc
import shutil
import signal

import pytest
import torch

# One thread each: the tensors are small, and xdist already uses the cores.
torch.set_num_threads(1)
# Without this PyTorch rounds bfloat16 products as oneDNN does, which differs from machine to machine.
torch.backends.mkldnn.enabled = False
# A shell starts a job in the background with Ctrl-C ignored, and the scripts that tests interrupt would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """What exists by now, the tests among it, never dies: collections need not look at it, and that halves the time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def unchanged_settings():
    """A test that changes the default dtype or a mode of PyTorch may not disturb the next one."""
    import chainrule

    yield
    assert chainrule.get_default_dtype() is chainrule.float32
    assert torch.get_default_dtype() is torch.float32
    assert not torch._C._len_torch_function_stack(), "a mode of PyTorch is still on, such as a default device"


@pytest.fixture(scope="module")
def browser():
    """A real one, for the pages that chainrule makes."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if chromium is None:
        pytest.skip("needs a browser: pip install playwright, and Debian's chromium")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield started
        started.close()
