"""The one task list of a project: tinyTasks.md or the plan state of a harness, behind one interface."""
