"""Delta Lake's JARs, in the folder ``jars``; ``spark_deid.runtime.jars`` finds them there and checks them."""
