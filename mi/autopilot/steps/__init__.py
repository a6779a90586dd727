"""Steps of the run loop: one file for each room that takes part."""
