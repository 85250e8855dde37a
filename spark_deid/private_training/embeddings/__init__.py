"""Word vectors: files of several formats, a store that is mapped into memory, and nearest neighbours in it."""
