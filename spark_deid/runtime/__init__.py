"""Spark and its Java: settings, JARs, laid-out classes, sessions, other programs' sessions, failures without values."""
