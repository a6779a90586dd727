"""What waits for the person: one view over the questions and suggestions of all projects."""
