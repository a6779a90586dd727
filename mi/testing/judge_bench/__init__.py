"""Measure a judge: scripted agents that work honestly, err and lie, and what the judge makes of each."""
