"""The attacker of the paper on a finished release."""
