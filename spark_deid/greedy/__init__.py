"""GreedySanitize: the game, its training loop, and the Spark operator."""
