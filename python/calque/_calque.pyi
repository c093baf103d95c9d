# The classes and functions of module/runs/, which the typed modules of the package wrap.
from typing import Any

__version__: str

class Error(RuntimeError): ...

def __getattr__(name: str) -> Any: ...
