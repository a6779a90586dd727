"""YAML of a repository: no text ends the process, takes the memory or is a traceback."""

import pytest
import yaml

from mi.kernel.yamltext import parse_yaml

_POWERS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join(['*' + before] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.req("safe.linear.yaml")
@pytest.mark.parametrize(
    "text",
    [
        "[" * 1_000_000,
        "{a: " * 100_000,
        "- " * 100_000,
        "a: &a [*a]\n",
        "!!int\n",
        "a: !!float ''\n",
        _POWERS,
        _POWERS.replace("[", "{<<: [").replace("]", "]}").replace("[x, x, x, x, x, x, x, x, x]", "[]"),
        "a: 2024-13-45\n",
        f"a: {'9' * 5000}\n",
        f"a: 1{':59' * 3000}\n",
        "a: !!timestamp x\n",
        "a: !!bool x\n",
        "a: !!python/object:os.system x\n",
        "a: \x00\n",
    ],
    ids=range(15),
)
def test_what_cannot_be_read_is_an_error_of_yaml(text: str) -> None:
    with pytest.raises(yaml.YAMLError):
        parse_yaml(text)


@pytest.mark.req("safe.linear.yaml")
def test_ordinary_files_are_read_as_before() -> None:
    text = "base: &b {image: py, when: 2024-01-02}\njobs:\n  test: {<<: *b, run: [make, test]}\n  lint: *b\n"
    assert parse_yaml(text) == yaml.safe_load(text)
