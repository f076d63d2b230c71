"""tools/bench/budgets as a module, for benchmarks whose manager is like that of the budgets."""

import importlib.machinery
import importlib.util
import pathlib
import sys


def _load():
    loader = importlib.machinery.SourceFileLoader("budgets", str(pathlib.Path(__file__).parent / "budgets"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("budgets", loader))
    sys.modules["budgets"] = module
    loader.exec_module(module)
    return module


BUDGETS = _load()
