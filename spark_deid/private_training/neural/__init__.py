"""Training of networks with JAX (the extra ``neural``): the only place that imports it."""
