"""Times, as ratios: each table is from one run on one machine."""
