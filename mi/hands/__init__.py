"""Driving an agent for one batch: providers behind one Protocol, live transcript, risk, resume."""
