"""Small projects in several languages, and trees of them in memory."""

from collections.abc import Callable, Mapping

from mi.project.trees import Tree, TreeEntry, compare_trees

Files = Mapping[str, str | None]

PYTHON = {
    "calc.py": "def add(a, b):\n    return a\n",
    "pyproject.toml": (
        '[project]\nname = "calc"\nversion = "1"\ndependencies = ["click"]\n\n'
        '[tool.pytest.ini_options]\naddopts = "-q"\ntestpaths = ["tests"]\nmarkers = ["slow: takes long"]\n'
    ),
    "requirements.txt": "click\nrequests==2.0\n",
    "Makefile": "PY = python3\n\nall: build\n\nbuild:\n\t$(PY) -m build\n\n"
    "test: lint\n\t$(PY) -m pytest -q\n\nlint:\n\truff check .\n",
    "tox.ini": "[tox]\nenvlist = py312\n\n[testenv]\ndeps = pytest\ncommands =\n    pytest -q\n",
    "scripts/ci.sh": "#!/bin/sh\nset -e\nmake test\n",
    ".github/workflows/ci.yml": (
        "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n"
        "    steps:\n      - run: pip install -e .\n      - run: pytest -q\n"
        "      - run: sh scripts/ci.sh && pytest\n"
    ),
    ".gitignore": "*.pyc\nbuild/\n",
    "tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef one():\n    return 1\n",
    "tests/test_calc.py": (
        "import pytest\n\nfrom calc import add\n\nCASES = [(1, 2, 3), (2, 2, 4)]\n"
        "\n\ndef test_add(one):\n    assert add(one, 2) == 3\n\n\n"
        '@pytest.mark.parametrize(("a", "b", "c"), CASES)\ndef test_cases(a, b, c):\n    assert add(a, b) == c\n\n\n'
        '@pytest.mark.parametrize("a", [1, 2])\ndef test_zero(a):\n    assert add(a, 0) == a\n\n\n'
        "class TestMore:\n    def test_negative(self):\n        assert add(-2, -3) == -5\n"
    ),
    "tests/test_unit.py": (
        "import unittest\n\nfrom calc import add\n\n\nclass AddTest(unittest.TestCase):\n"
        "    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n"
    ),
    "tests/data/expected.txt": "total: 5\n",
    "tests/data/cases.json": '[{"a": 1, "b": 2, "sum": 3}]\n',
    "tests/__snapshots__/test_page.ambr": "# serializer version: 1\n# name: test_page\n  'Hello'\n# ---\n",
    "tests/README.md": "How to run the tests.\n",
    "README.md": "# calc\n",
}

NODE = {
    "package.json": (
        '{"name": "calc", "scripts": {"test": "jest --ci", "start": "node .", "build": "tsc"}, '
        '"dependencies": {"left-pad": "^1.0.0"}, "devDependencies": {"jest": "^29.0.0"}, '
        '"jest": {"testEnvironment": "node"}}\n'
    ),
    "tsconfig.json": '{"compilerOptions": {"strict": true, "paths": {"@/*": ["src/*"]}}}\n',
    "vite.config.ts": "export default { plugins: [], test: { globals: true }, build: { minify: true } };\n",
    "src/calc.js": "exports.add = (a, b) => a;\n",
    "src/calc.test.js": (
        "const { add } = require('@/calc');\n\ndescribe('add', () => {\n"
        "  it('adds', () => {\n    expect(add(1, 2)).toBe(3);\n  });\n\n"
        "  test.each([[1, 1, 2], [2, 2, 4]])('%d + %d', (a, b, c) => {\n    expect(add(a, b)).toBe(c);\n  });\n});\n"
    ),
    "src/__snapshots__/page.test.js.snap": "// Jest Snapshot v1\n\nexports[`page renders 1`] = `\n<p>Hello</p>\n`;\n",
    "jest.setup.js": "process.env.TZ = 'UTC';\n",
}

GO = {
    "go.mod": "module example.com/calc\n\ngo 1.22\n",
    "calc.go": "package calc\n\nfunc Add(a, b int) int { return a }\n",
    "calc_test.go": (
        'package calc\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n'
        "\ttests := []struct{ a, b, want int }{\n\t\t{1, 2, 3},\n"
        "\t\t{2, 2, 4},\n\t}\n\tfor _, tt := range tests {\n\t\tif got := Add(tt.a, tt.b); got != tt.want {\n"
        '\t\t\tt.Errorf("got %d", got)\n\t\t}\n\t}\n}\n'
    ),
    "testdata/golden.txt": "3\n",
    "Makefile": "test:\n\tgo test ./...\n",
}

RUST = {
    "Cargo.toml": '[package]\nname = "calc"\nversion = "0.1.0"\n\n[dependencies]\nserde = "1"\n',
    "src/lib.rs": (
        "/// Adds.\n///\n/// ```\n/// assert_eq!(calc::add(1, 2), 3);\n"
        "/// ```\npub fn add(a: i32, b: i32) -> i32 {\n    a\n}\n\n"
        "#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n"
        "    fn adds() {\n        assert_eq!(add(1, 2), 3);\n    }\n}\n"
    ),
    "tests/whole.rs": "#[test]\nfn whole() {\n    assert_eq!(calc::add(2, 2), 4);\n}\n",
}

JAVA = {
    "pom.xml": (
        "<project><modules><module>core</module><module>web</module></modules><dependencies/><build><plugins><plugin>"
        "<artifactId>maven-surefire-plugin</artifactId><version>3.0</version></plugin></plugins></build></project>\n"
    ),
    "build.gradle": "plugins { id 'java' }\n\ndependencies {\n"
    "    testImplementation 'junit:junit:4.13'\n}\n\ntest {\n    useJUnitPlatform()\n}\n",
    "src/main/java/Calc.java": "class Calc { static int add(int a, int b) { return a; } }\n",
    "src/test/java/CalcTest.java": (
        "import org.junit.jupiter.api.Test;\n"
        "import static org.junit.jupiter.api.Assertions.assertEquals;\n\nclass CalcTest {\n"
        "    @Test\n    void adds() {\n        assertEquals(3, Calc.add(1, 2));\n    }\n\n    @ParameterizedTest\n"
        '    @CsvSource({"1,1,2", "2,2,4"})\n    void cases(int a, int b, int c) {\n'
        "        assertEquals(c, Calc.add(a, b));\n    }\n}\n"
    ),
    "src/test/resources/expected.json": '{"sum": 3}\n',
}

RUBY = {
    "Gemfile": "gem 'rspec'\n",
    ".rspec": "--format progress\n",
    "Rakefile": "require 'rspec/core/rake_task'\n\nRSpec::Core::RakeTask.new(:spec)\n"
    "\ntask :release do\n  sh 'true'\nend\n",
    "lib/calc.rb": "def add(a, b)\n  a\nend\n",
    "spec/spec_helper.rb": "require 'calc'\n",
    "spec/calc_spec.rb": (
        "require 'spec_helper'\n\ndescribe 'add' do\n  it 'adds' do\n    expect(add(1, 2)).to eq(3)\n  end\n\n"
        "  it 'adds zero' do\n    expect(add(1, 0)).to eq(1)\n  end\nend\n"
    ),
}

SHELL = {
    "Makefile": "test:\n\tsh tests/run.sh\n",
    "calc.sh": "add() {\n    echo $1\n}\n",
    "tests/run.sh": 'failed=0\nfor test in tests/test_*.sh; do sh "$test" || failed=1; done\nexit "$failed"\n',
    "tests/test_add.sh": '. ./calc.sh\n[ "$(add 1 2)" -eq 3 ] || fail "add 1 2"\n',
}

PHP = {
    "composer.json": '{"scripts": {"test": "phpunit", "fmt": "php-cs-fixer fix"}, "require": {"php": ">=8"}}\n',
    "phpunit.xml.dist": "<phpunit><testsuites><testsuite>"
    "<directory>tests</directory></testsuite></testsuites></phpunit>\n",
    "src/Calc.php": "<?php\nfunction add($a, $b) { return $a; }\n",
    "tests/CalcTest.php": (
        "<?php\nclass CalcTest extends TestCase\n{\n    public function testAdd(): void\n    {\n"
        "        $this->assertSame(3, add(1, 2));\n    }\n}\n"
    ),
}

CSHARP = {
    "Calc.Tests/Calc.Tests.csproj": "<Project><PropertyGroup>"
    "<IsTestProject>true</IsTestProject></PropertyGroup></Project>\n",
    "Calc/Calc.cs": "class Calc { public static int Add(int a, int b) => a; }\n",
    "Calc.Tests/CalcTests.cs": (
        "using Xunit;\n\npublic class CalcTests\n{\n    [Fact]\n    public void Adds()\n"
        "    {\n        Assert.Equal(3, Calc.Add(1, 2));\n    }\n\n"
        "    [Theory]\n    [InlineData(1, 1, 2)]\n    public void Cases(int a, int b, int c)\n    {\n"
        "        Assert.Equal(c, Calc.Add(a, b));\n    }\n}\n"
    ),
}


class FilesInMemory(Tree):
    """Files as a tree that is nowhere on a disk."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = dict(files)
        self.repositories: dict[str, str] = {}

    def paths(self) -> frozenset[str]:
        return frozenset(self._files)

    def read(self, path: str) -> bytes | None:
        text = self._files.get(path)
        return None if text is None else text.encode()

    def entry(self, path: str) -> TreeEntry | None:
        return TreeEntry("100644") if path in self._files else None

    def changed_since(self, other: Tree) -> list[str]:
        return compare_trees(other, self)


def tree(files: Files) -> FilesInMemory:
    return FilesInMemory({path: text for path, text in files.items() if text is not None})


TASK = "Fix the failing test"

Change = Mapping[str, str | None]


def put(path: str, text: str) -> Change:
    return {path: text}


def gone(*paths: str) -> Change:
    return dict.fromkeys(paths)


def moved(project: Files, path: str, to: str) -> Change:
    return {path: None, to: project[path]}


class Swap:
    """One text for another in one file, to be found there."""

    def __init__(self, path: str, old: str, new: str) -> None:
        self.path, self.old, self.new = path, old, new

    def __call__(self, project: Files) -> Change:
        text = project[self.path] or ""
        assert self.old in text, f"{self.old!r} is not in {self.path}"
        return {self.path: text.replace(self.old, self.new, 1)}


def more(path: str, text: str) -> Callable[[Files], Change]:
    return lambda project: {path: (project[path] or "") + text}


def before(path: str, text: str) -> Callable[[Files], Change]:
    return lambda project: {path: text + (project[path] or "")}


def changed(project: Files, change: object) -> Files:
    new = change(project) if callable(change) else change
    assert isinstance(new, Mapping)
    return {**project, **new}


T, U, J, V = "tests/test_calc.py", "tests/test_unit.py", "src/calc.test.js", "src/test/java/CalcTest.java"
ADD = "    assert add(one, 2) == 3"
