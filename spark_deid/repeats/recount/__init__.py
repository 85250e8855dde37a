"""Count published runs again, by hashes: shares nothing with the suffix arrays that decide what is hidden."""
