"""Sanitize a table of notes with patterns and a model: python examples/sanitize_frame.py NOTES.csv MODEL OUT.csv"""

import sys

import pandas as pd

import spark_deid as sd

notes, model, output = sys.argv[1:]
plan = sd.Plan(model=model, patterns={"kinds": "all"})
done = sd.sanitize(pd.read_csv(notes), plan, text="note", doc_id="id", subject_id="patient")
done.documents.to_csv(output, index=False)
print(done)
