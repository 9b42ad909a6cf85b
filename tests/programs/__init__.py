"""Random programs, written down as lists of small steps, that run on chainrule and on PyTorch alike.

`steps.py` has the steps, `execute.py` runs a program and writes down all that can be seen of it, `compare.py` says
where two such records differ. `python -m tests.programs --count 1000 --seed 5` runs new ones."""
