"""Many tasks on one machine: the queue, the workers that take from it, and what runs beside each other leave."""
