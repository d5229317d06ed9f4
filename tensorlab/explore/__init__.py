"""Live explorers: change a number, and see what Python computes for it."""
