"""Many runs on one machine: work trees of their own, the queue, races between agents, reports."""
