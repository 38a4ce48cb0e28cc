"""The operators' cases, one module for each family."""
import importlib
import pkgutil


def families():
    """Every family of this package, in order of its module's name."""
    for module in sorted(m.name for m in pkgutil.iter_modules(__path__)):
        loaded = importlib.import_module(f"{__name__}.{module}")
        yield loaded.family
