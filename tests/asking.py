"""Functions of another module: they ask, or call backward(), for a program that calls them."""


def ask(question, *args, **kwargs):
    return str(question(*args, **kwargs))


def backward(result):
    result.backward()
