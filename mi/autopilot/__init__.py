"""The run loop: drives an agent batch by batch and judges, on the person's behalf, until the work is verified."""
