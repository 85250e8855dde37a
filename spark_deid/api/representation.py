"""Labelled text that can be shared for training, as ``sd.representation``: what its commands do, as functions."""

from spark_deid.api.representing import build_embeddings as build_embeddings
from spark_deid.api.representing import learn_embeddings as learn_embeddings
from spark_deid.api.representing import pool as pool
from spark_deid.api.representing import pseudonymize as pseudonymize
from spark_deid.api.representing import train as train
from spark_deid.api.representing import transform as transform
