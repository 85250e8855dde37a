"""Compiled code of the leak scan: it reads texts as Arrow keeps them, UTF-8 bytes and offsets."""
