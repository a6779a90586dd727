"""A team's shared mind in files: boot, cards, proposals, session logs, handoffs, and private spaces."""
