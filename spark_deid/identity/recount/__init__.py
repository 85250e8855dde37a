"""What a release shows of persons, read from its text and counted again; shares nothing with the recoding."""
