"""What MI knows: claims and the edges between them, append-only."""
