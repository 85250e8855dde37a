"""Delta Lake's JARs, in the folder ``jars``; ``spark_deid.engine.jars`` finds them there and checks them."""
