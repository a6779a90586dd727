"""The hosts' door: hook events of agent hosts, answered by the parts the person chose to enforce."""
