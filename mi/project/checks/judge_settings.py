"""What of a settings file judges the work: the parts that select, configure or run tests, setting by setting."""

import re

from mi.project.checks.folder import read_toml
from mi.project.checks.judge_items import JudgeItem, whole
from mi.project.checks.judge_manifests import READERS
from mi.project.checks.judge_tables import plain_lines, read_ini_sections, read_json, setting, settings_in
from mi.project.checks.judge_tokens import tokens_of


def settings_of(path: str, text: str, has_tests: bool) -> list[JudgeItem]:
    """Return the settings of a file that judge the work; without any tests, what builds it judges, too."""
    name = path.rpartition("/")[2]
    for pattern, read in READERS:
        if pattern.search(path):
            return list(read(text, has_tests))
    if name.endswith((".json", "rc")) and (data := read_json(text)):
        return list(settings_in("", data))
    if name.endswith(".toml"):
        return list(settings_in("", read_toml(text)))
    if name.endswith((".ini", "rc", ".cfg")) and (sections := read_ini_sections(text)):
        return list(settings_in("", sections))
    if re.search(r"(?:^|\.)env(?:\.|$)", name) or name.endswith((".properties", ".config")):
        return [setting(line.partition("=")[0].strip(), line) for line in plain_lines(text)]
    if re.search(r"\.(?:[cm]?[jt]sx?)$", name):
        return (
            [whole(" ".join(token.text for token in tokens_of(text, "js")))._replace(shown=text)]
            if text.strip()
            else []
        )
    return [whole("\n".join(line.rstrip() for line in text.splitlines()))] if text.strip() else []
