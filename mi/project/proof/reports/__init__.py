"""Reports of test runners: a reporter of MI's own is added to whatever runner a command reaches, then read."""

from mi.project.proof.reports.instrument import Instrumented, instrument
from mi.project.proof.reports.reading import read_results

__all__ = ["Instrumented", "instrument", "read_results"]
