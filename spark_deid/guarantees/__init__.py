"""What must hold before a release: checks that share no algorithm with what they check."""
