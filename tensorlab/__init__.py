"""Where every number of a tensor lives."""
