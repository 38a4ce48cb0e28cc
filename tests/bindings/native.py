"""The example in C and in C++: Meson has built it."""


def run(context):
    yield from context.example([context.program])
    yield context.walks([context.walk])
