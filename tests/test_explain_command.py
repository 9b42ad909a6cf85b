"""`chainrule explain script.py`: what it runs, explains, writes and serves."""

import json
import os
import re
import runpy
import subprocess
import sys
import threading
import urllib.request

import pytest

import chainrule
from chainrule.explain.command import Witness, explain_script, make_server

TRAINING = """
import chainrule as torch

w = torch.tensor(1.0, requires_grad=True)
for step in range(4):
    loss = (w * 3 - 6) ** 2
    loss.backward()
    with torch.no_grad():
        w -= 0.05 * w.grad
    w.grad = None
print("trained to", round(w.item(), 3))
"""


def run(script, arguments):
    runpy.run_path(script, run_name="__main__")
    return 0


@pytest.fixture
def script(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "train.py"
    path.write_text(TRAINING)
    return path


def test_the_last_backward_is_explained(script, capsys):
    assert explain_script(run, str(script)) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("trained to 2.0")
    assert "backward() number 4 of 4" in printed
    assert "loss = (w * 3 - 6) ** 2" in printed
    assert "The page: train_explained.html" in printed
    assert "<svg" in (script.parent / "train_explained.html").read_text()


def test_the_numbers_are_those_of_that_moment(script):
    with Witness() as witness:
        run(str(script), ())
    assert "d loss / d w = " in witness.text
    assert "w                                        = 1.999" in witness.text  # and not what the step made of it


def test_the_last_of_many_is_explained(tmp_path):
    path = tmp_path / "long.py"
    path.write_text(TRAINING.replace("range(4)", "range(40)").replace("0.05", "0.0001"))
    command = [sys.executable, "-m", "chainrule", "explain", str(path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "backward() number 40 of 40" in done.stdout


def test_no_process_stays(script):
    with Witness() as witness:
        run(str(script), ())
    assert len(witness._dropped) == 4
    for moment in witness._dropped:
        with pytest.raises(ChildProcessError):
            os.waitpid(moment._copy, os.WNOHANG)


def test_a_script_that_exits_by_itself_is_explained(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "exiting.py"
    path.write_text(TRAINING + "raise SystemExit(3)\n")
    assert explain_script(run, str(path)) == 3
    assert "backward() number 4 of 4" in capsys.readouterr().out


def test_without_copies_of_the_process(script, monkeypatch):
    monkeypatch.setattr("chainrule.explain.command.can_be_kept", lambda: False)
    with Witness() as witness:
        run(str(script), ())
    assert witness.explained == 4
    assert "= 1.999" in witness.text


def test_times_are_measured_and_every_value_is_known(script):
    with Witness() as witness:
        run(str(script), ())
    data = json.loads(re.search(r'id="data">(.*?)</script>', witness.page, re.DOTALL)[1])
    steps = [n for n in data["nodes"] if n["kind"] == "operation"]
    assert all(n["forward_time"][0] > 0 for n in steps)
    assert all(n["value"] is not None for n in steps)


def test_backward_is_as_before_afterwards():
    before = chainrule.Tensor.backward, chainrule.autograd.backward
    with Witness() as witness:
        x = chainrule.tensor(2.0, requires_grad=True)
        (x * x).backward()
        chainrule.autograd.backward([x * 3])
    assert (chainrule.Tensor.backward, chainrule.autograd.backward) == before
    assert (witness.count, x.grad.item()) == (2, 7.0)


def test_a_script_without_backward(tmp_path, capsys):
    path = tmp_path / "nothing.py"
    path.write_text("x = 1")
    assert explain_script(run, str(path)) == 1
    assert "no backward()" in capsys.readouterr().out


def test_errors_of_backward_are_those_of_backward():
    with Witness(), pytest.raises(RuntimeError, match="does not require grad"):
        chainrule.ones(1).backward()


def test_the_page_is_served_to_this_machine_only():
    server = make_server("<p>the page</p>")
    assert server.server_address[0] == "127.0.0.1"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        address = f"http://127.0.0.1:{server.server_port}"
        with urllib.request.urlopen(f"{address}/") as answer:
            assert answer.read() == b"<p>the page</p>"
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{address}/etc/passwd")
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
