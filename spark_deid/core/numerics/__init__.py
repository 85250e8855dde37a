"""Compilation, prefetching and threads for the compiled code of several packages."""
