"""Names by which plans and commands choose an engine."""

from typing import Literal

EngineName = Literal["auto", "embedded", "spark"]
