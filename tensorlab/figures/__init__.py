"""Still and live figures as free functions: they paint what the package computed, and compute nothing themselves."""
