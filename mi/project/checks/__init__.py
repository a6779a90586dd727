"""What a project's checks are, and which commands run one of them."""
