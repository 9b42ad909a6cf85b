"""Random calls of everything public, in child processes: `make fuzz SECONDS=60`, see __main__.py."""
