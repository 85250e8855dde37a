"""A neural model of names in English text: ``onnx: english-neural`` in a plan of spark_deid."""

from pathlib import Path

MODEL = Path(__file__).parent / "data"
"""The folder of the model, as the entry point ``english-neural`` gives it."""
