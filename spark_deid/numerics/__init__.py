"""What compiled code of several rooms needs: compilation, prefetching, threads."""
