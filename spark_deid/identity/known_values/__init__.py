"""Where values of a person stand that are known from elsewhere: dates and ages, in whatever form they are written."""
