"""One step with evotorch, on random weights."""

import logging

from evotorch import Problem
from evotorch.algorithms import CMAES, SNES
from evotorch.decorators import vectorized
from evotorch.tools import set_default_logger_config

set_default_logger_config(logger_level=logging.ERROR, override=True)


@vectorized
def sphere(x):
    return x.square().sum(-1)


for algorithm in (SNES, CMAES):
    problem = Problem("min", sphere, solution_length=4, initial_bounds=(-5, 5), seed=0)
    searcher = algorithm(problem, stdev_init=1.0, popsize=10)
    searcher.run(5)
    print(float(searcher.status["mean_eval"]))
