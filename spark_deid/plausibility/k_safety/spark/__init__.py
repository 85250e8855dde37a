"""Hide what links a document to fewer than k entities, on Spark."""
