"""Projects in miniature, as public ones are laid out: which check a change needs, and which typed commands are it."""

import json
from pathlib import Path
from typing import NamedTuple


class Layout(NamedTuple):
    """Files of a project; a change in it, the checks it needs, and commands by what they show of it."""

    files: dict[str, str]
    changed: list[str]
    needed: list[str]
    covers: list[str]  # each covers the whole change
    partial: list[str] = []  # a part of the tests
    other: list[str] = []  # something else: another package, another language, no test at all


def scripts(**named: str) -> str:
    return json.dumps({"scripts": named})


TEST_PY = "def test_a(): ...\n"
LAYOUTS: dict[str, Layout] = {
    "a Python package with pytest": Layout(
        {"pyproject.toml": "[tool.pytest.ini_options]\n[tool.ruff]\n", "src/a.py": "", "tests/test_a.py": TEST_PY}
        | {"tests/unit/test_b.py": TEST_PY},
        ["src/a.py"],
        ["pytest"],
        ["pytest", "python -m pytest -q", "pytest tests", "cd tests && pytest", "pytest -n 4 --cov src", "pytest -x ."],
        [
            *("pytest -k a", "pytest -ka", "pytest -xk a", "pytest -m 'not slow'", "pytest -m=slow", "pytest --lf"),
            *(
                "pytest tests/test_a.py",
                "pytest tests/test_a.py::test_a",
                "pytest tests/unit",
                "cd tests/unit && pytest",
            ),
            *("pytest --deselect tests/test_a.py::test_a", "pytest --ignore=tests/unit", "pytest --last-failed"),
        ],
        ["ruff check"],
    ),
    "one file with one test": Layout(
        {"calc.py": "", "test_calc.py": "import unittest\n"},
        ["calc.py"],
        ["python -m unittest"],
        [
            "python3 -m unittest -q",
            "python -m unittest test_calc",
            "python -m unittest discover",
            "pytest test_calc.py",
        ],
        ["python -m unittest test_calc.T", "python -m unittest -k add", "python -m unittest discover -p 'x_*'"],
    ),
    "halves of one root": Layout(
        {
            "pyproject.toml": "[tool.pytest.ini_options]\n",
            "package.json": scripts(test="jest", build="tsc", lint="eslint ."),
            "tests/test_a.py": TEST_PY,
            "app.py": "",
            "src/a.ts": "",
            "src/a.test.ts": "",
        },
        ["src/a.ts"],
        ["npm test"],
        ["npm test", "npm run test", "npm test -- --ci", "yarn test", "npx jest"],
        ["npm test -- src/x.test.ts", "npm test -- -t adds", "npm test -- --changedSince=main", "npx jest -t=a"],
        ["pytest", "npm run build", "npm run lint", "npx tsc --noEmit"],
    ),
    "halves in folders, one without a manifest": Layout(
        {
            "web/package.json": scripts(test="vitest run"),
            "web/src/a.test.ts": "",
            "python/shop.py": "",
            "python/tests/__init__.py": "",
            "python/tests/test_shop.py": "import unittest\n",
        },
        ["python/shop.py", "web/src/a.ts"],
        ["cd python && python -m unittest", "cd web && npm test"],
        ["cd web && npm test && cd ../python && python3 -m unittest", "pytest && npm test --prefix web"],
        [],
        ["cd web && npm test", "cd python && python3 -m unittest", "python3 -m unittest && cd web && npm test"],
    ),
    "both halves changed": Layout(
        {
            "pyproject.toml": "[tool.pytest.ini_options]\n",
            "package.json": scripts(test="vitest run"),
            "Makefile": "test:\n\tpytest\n\tnpm test\n",
            "tests/test_a.py": TEST_PY,
            "src/a.test.ts": "",
        },
        ["app.py", "src/a.ts"],
        ["make test"],
        ["make test", "make -s test", "make -k test", "make -kj2 -Oline test", "pytest && npm test"],
        ["make test ARGS='-k a'", "make test TESTS=tests/test_a.py"],
        ["pytest", "npm test"],
    ),
    "Go with packages": Layout(
        {"go.mod": "module x\n", "a.go": "", "a_test.go": "", "sub/b.go": "", "sub/b_test.go": ""},
        ["sub/b.go"],
        ["go test ./..."],
        ["go test ./...", "go test -count=1 -race ./...", "gotestsum ./...", "go test . ./sub"],
        ["go test", "go test ./sub", "go test -run A ./...", "go test -run=A ./...", "go test --run=A ./..."],
        ["go vet ./...", "go build ./..."],
    ),
    "Go modules of a work space": Layout(
        {"go.work": "use ./a\nuse ./b\n", "a/go.mod": "", "a/a_test.go": "", "b/go.mod": "", "b/b_test.go": ""},
        ["a/a.go"],
        ["cd a && go test ./..."],
        ["cd a && go test ./...", "go test ./a/...", "go test ./a/... ./b/..."],
        ["cd a && go test -run=X ./..."],
        ["cd b && go test ./...", "go test ./b/..."],
    ),
    "a workspace of crates": Layout(
        {
            "Cargo.toml": '[workspace]\nmembers = ["one", "two"]\n',
            "one/Cargo.toml": "[package]\n",
            "one/src/lib.rs": "#[test]\nfn t() {}\n",
            "two/Cargo.toml": "[package]\n",
            "two/src/lib.rs": "#[test]\nfn t() {}\n",
        },
        ["one/src/lib.rs"],
        ["cd one && cargo test"],
        [
            "cargo test",
            "cargo test --workspace",
            "cd one && cargo test",
            "cargo nextest run",
            "cargo test --all-features",
        ],
        [
            "cargo test -p one",
            "cargo test --package=one",
            "cargo test adds",
            "cargo test --lib",
            "cargo nextest run -E x",
        ],
        ["cd two && cargo test", "cargo build", "cargo clippy", "cargo check"],
    ),
    "Django": Layout(
        {
            "manage.py": "#!/usr/bin/env python\nimport os\n",
            "shop/models.py": "",
            "shop/tests.py": "",
            "users/tests/test_a.py": TEST_PY,
        },
        ["shop/models.py"],
        ["python manage.py test"],
        ["python manage.py test", "./manage.py test --parallel 4", "uv run python manage.py test", "pytest"],
        ["python manage.py test shop", "python manage.py test -k a", "python manage.py test --tag=fast"],
        ["python manage.py check"],
    ),
    "Django in containers": Layout(
        {"manage.py": "", "shop/models.py": "", "shop/tests.py": "", "compose.yml": "services:\n  web:\n"},
        ["shop/models.py"],
        ["python manage.py test"],
        [
            "docker compose run --rm web python manage.py test",
            "docker compose exec -T web pytest",
            "docker-compose run -e CI=1 web pytest -q",
        ],
        ["docker compose run --rm web pytest -k a"],
        ["docker compose up -d", "docker compose run web ruff check", "docker build ."],
    ),
    "tox": Layout(
        {
            "setup.cfg": "[metadata]\n",
            "tox.ini": "[testenv]\ncommands = pytest {posargs}\n[testenv:lint]\ncommands = ruff check\n",
            "pkg/a.py": "",
            "tests/test_a.py": TEST_PY,
            "tests/test_b.py": TEST_PY,
        },
        ["pkg/a.py"],
        ["tox"],
        ["tox", "tox -e py311", "python -m tox -p", "pytest"],
        ["tox -e py311 -- -k a", "tox -- tests/test_a.py"],
        ["tox -e lint"],
    ),
    "nox": Layout(
        {
            "pyproject.toml": "[project]\n",
            "noxfile.py": "@nox.session\ndef tests(session):\n    session.install('.')\n    session.run('pytest')\n\n"
            "@nox.session\ndef lint(session):\n    session.run('ruff', 'check')\n",
            "tests/test_a.py": TEST_PY,
        },
        ["pkg/a.py"],
        ["nox"],
        ["nox", "nox -s tests", "nox -s tests-3.12", "nox --session=tests"],
        ["nox -s tests -- -k a"],
        ["nox -s lint"],
    ),
    "hatch": Layout(
        {
            "pyproject.toml": '[tool.hatch.envs.default.scripts]\ntest = "pytest {args}"\nlint = "ruff check"\n',
            "tests/test_a.py": TEST_PY,
            "tests/test_b.py": TEST_PY,
        },
        ["pkg/a.py"],
        ["hatch run test"],
        ["hatch run test", "hatch test", "hatch run pytest -q"],
        ["hatch run test -k a", "hatch run test tests/test_a.py", "hatch test -k a"],
        ["hatch run lint", "hatch build"],
    ),
    "pdm scripts": Layout(
        {"pyproject.toml": '[tool.pdm.scripts]\ntest = "pytest"\n', "pdm.lock": "", "tests/test_a.py": TEST_PY},
        ["pkg/a.py"],
        ["pdm run test"],
        ["pdm run test", "pdm run pytest", "pytest"],
        ["pdm run pytest -k a"],
        ["pdm build"],
    ),
    "poe": Layout(
        {"pyproject.toml": '[tool.poe.tasks]\ntest = "pytest"\n', "poetry.lock": "", "tests/test_a.py": TEST_PY},
        ["pkg/a.py"],
        ["poe test"],
        ["poe test", "poetry run poe test", "poetry run pytest", "poetry run python -m pytest"],
        ["poetry run pytest --last-failed"],
        ["poetry check"],
    ),
    "packages of a uv workspace": Layout(
        {
            "pyproject.toml": '[tool.uv.workspace]\nmembers = ["packages/*"]\n[tool.pytest.ini_options]\n',
            "uv.lock": "",
            "packages/one/pyproject.toml": "[project]\n",
            "packages/one/tests/test_a.py": TEST_PY,
            "packages/two/pyproject.toml": "[project]\n",
            "packages/two/tests/test_b.py": TEST_PY,
        },
        ["packages/one/src/a.py"],
        ["cd packages/one && uv run pytest"],
        ["uv run pytest", "cd packages/one && uv run pytest", "pytest packages", "pytest packages/one"],
        ["cd packages/one && pytest -k a"],
        ["cd packages/two && uv run pytest"],
    ),
    "npm workspaces": Layout(
        {
            "package.json": json.dumps({"workspaces": ["packages/*"], "scripts": {"test": "npm test --workspaces"}}),
            "packages/a/package.json": json.dumps({"name": "@x/a", "scripts": {"test": "vitest run"}}),
            "packages/a/src/a.test.ts": "",
            "packages/a/src/b.test.ts": "",
            "packages/b/package.json": json.dumps(
                {"name": "@x/b", "scripts": {"test": "vitest run", "lint": "eslint"}}
            ),
        },
        ["packages/a/src/a.ts"],
        ["cd packages/a && npm test"],
        [
            *(
                "npm test",
                "npm test -ws",
                "npm test --workspaces",
                "npm test -w @x/a",
                "npm test --workspace=packages/a",
            ),
            *("cd packages/a && npm test", "npm --prefix packages/a test", "cd packages/a && npx vitest run"),
        ],
        ["npm test -w @x/a -- -t adds", "cd packages/a && npx vitest run src/a.test.ts"],
        ["npm test -w @x/b", "cd packages/b && npm test", "npm run lint -w @x/b"],
    ),
    "pnpm without a script at the root": Layout(
        {
            "package.json": "{}",
            "pnpm-workspace.yaml": "packages:\n  - apps/*\n",
            "pnpm-lock.yaml": "",
            "apps/web/package.json": json.dumps({"name": "web", "scripts": {"test": "jest", "build": "tsc"}}),
            "apps/web/a.test.ts": "",
        },
        ["apps/web/a.ts"],
        ["cd apps/web && pnpm test"],
        [
            "pnpm -r test",
            "pnpm --filter web test",
            "pnpm -F web test",
            "cd apps/web && pnpm test",
            "pnpm -C apps/web test",
        ],
        ["pnpm --filter web test -- -t a"],
        ["pnpm --filter api test", "pnpm -r build"],
    ),
    "turbo": Layout(
        {
            "package.json": scripts(test="turbo run test", build="turbo run build"),
            "turbo.json": "{}",
            "yarn.lock": "",
            "apps/web/package.json": scripts(dev="vite"),
            "packages/ui/package.json": json.dumps({"name": "ui", "scripts": {"test": "vitest"}}),
        },
        ["apps/web/a.ts", "packages/ui/b.ts"],
        ["yarn test"],
        ["yarn test", "npx turbo run test", "turbo test", "pnpm turbo run test"],
        ["npx turbo run test --filter=ui", "turbo run test --affected"],
        ["npx turbo run build", "yarn workspace ui test"],
    ),
    "nx": Layout(
        {"package.json": scripts(test="nx run-many -t test"), "nx.json": "{}", "libs/a/project.json": "{}"},
        ["libs/a/src/a.ts"],
        ["npm test"],
        ["npm test", "npx nx run-many --target=test", "npx nx run-many -t test --parallel=3"],
        ["npx nx affected -t test", "npx nx run-many -t test --projects=a"],
        ["npx nx run-many -t build"],
    ),
    "yarn with jest for all": Layout(
        {
            "package.json": json.dumps({"workspaces": ["packages/*"], "scripts": {"test": "cross-env CI=1 jest"}}),
            "yarn.lock": "",
            "packages/a/package.json": "{}",
            "packages/a/__tests__/a.test.js": "",
        },
        ["packages/a/index.js"],
        ["yarn test"],
        ["yarn test", "yarn jest", "npx jest --ci", "npx jest packages"],
        ["yarn test -t a", "yarn jest --onlyChanged", "npx jest --findRelatedTests packages/a/index.js"],
        ["yarn build"],
    ),
    "node's own runner": Layout(
        {"package.json": scripts(test="node --test"), "lib/a.js": "", "test/a.test.js": "", "test/b.test.js": ""},
        ["lib/a.js"],
        ["npm test"],
        ["npm test", "node --test", "node --test 'test/*.test.js'", "node --test test/"],
        ["node --test test/a.test.js", "node --test --test-name-pattern=a", "npm test -- --test-only"],
        ["node lib/a.js"],
    ),
    "mocha under nyc": Layout(
        {"package.json": scripts(test="nyc mocha"), "test/a.js": "", "test/b.js": ""},
        ["lib/a.js"],
        ["npm test"],
        ["npm test", "npx mocha", "npx nyc mocha"],
        ["npx mocha test/a.js", "npx mocha -g adds", "npm test -- --grep adds", "npx mocha --grep=adds"],
        ["npx eslint ."],
    ),
    "bun": Layout(
        {"package.json": scripts(test="bun test"), "bun.lock": "", "a.test.ts": "", "b.test.ts": ""},
        ["a.ts"],
        ["bun run test"],
        ["bun test", "bun run test"],
        ["bun test a.test.ts", "bun test -t adds", "bun test --test-name-pattern=adds"],
        ["bun build a.ts"],
    ),
    "a library that is only built": Layout(
        {"package.json": scripts(build="tsc -p .", lint="eslint ."), "src/a.ts": "", "tsconfig.json": "{}"},
        ["src/a.ts"],
        ["npm run build"],
        ["npm run build"],
        [],
        ["npm run lint"],
    ),
    "Maven modules": Layout(
        {
            "pom.xml": "<modules><module>core</module></modules>",
            "mvnw": "#!/bin/sh\nexec java x\n",
            "core/pom.xml": "",
            "core/src/main/java/A.java": "",
            "core/src/test/java/ATest.java": "",
        },
        ["core/src/main/java/A.java"],
        ["./mvnw test"],
        ["./mvnw test", "mvn -q verify", "cd core && mvn test", "mvn -B clean install"],
        ["mvn test -Dtest=ATest", "mvn -pl core test", "mvn test -Dtest='A*'"],
        ["mvn compile", "mvn test -DskipTests"],
    ),
    "Gradle projects": Layout(
        {
            "settings.gradle.kts": 'include("app", "lib")',
            "build.gradle.kts": "",
            "gradlew": "#!/bin/sh\nexec java x\n",
            "app/build.gradle.kts": "",
            "app/src/main/kotlin/A.kt": "",
            "app/src/test/kotlin/ATest.kt": "",
            "lib/build.gradle.kts": "",
            "lib/src/test/kotlin/BTest.kt": "",
        },
        ["app/src/main/kotlin/A.kt"],
        ["./gradlew test"],
        ["./gradlew test", "./gradlew :app:test", "gradle check", "./gradlew clean build"],
        ["./gradlew test --tests ATest", "./gradlew :app:test --tests=ATest"],
        ["./gradlew :lib:test", "./gradlew assemble"],
    ),
    "Ruby with rspec": Layout(
        {"Gemfile": "", ".rubocop.yml": "", "lib/a.rb": "", "spec/a_spec.rb": "", "spec/b_spec.rb": ""},
        ["lib/a.rb"],
        ["bundle exec rspec"],
        ["bundle exec rspec", "rspec", "bundle exec rspec spec"],
        [
            "rspec spec/a_spec.rb",
            "rspec spec/a_spec.rb:3",
            "rspec -e adds",
            "rspec --tag fast",
            "rspec --only-failures",
        ],
        ["bundle exec rubocop"],
    ),
    "Rails": Layout(
        {"Gemfile": "", "Rakefile": "", "config.ru": "", "bin/rails": "#!/usr/bin/env ruby\n", "test/a_test.rb": ""}
        | {"test/models/b_test.rb": ""},
        ["app/models/a.rb"],
        ["bundle exec rake test"],
        ["bin/rails test", "bundle exec rake test", "bin/rails test test"],
        ["bin/rails test test/models", "bin/rails test test/a_test.rb:4", "bin/rails test -n adds"],
        ["bin/rails routes"],
    ),
    "PHP": Layout(
        {"composer.json": scripts(test="phpunit"), "src/A.php": "", "tests/ATest.php": "", "tests/BTest.php": ""}
        | {"vendor/bin/phpunit": "#!/usr/bin/env php\n"},
        ["src/A.php"],
        ["composer test"],
        ["composer test", "vendor/bin/phpunit", "vendor/bin/phpunit tests"],
        [
            "vendor/bin/phpunit --filter adds",
            "vendor/bin/phpunit tests/ATest.php",
            "vendor/bin/phpunit --testsuite=unit",
        ],
        ["composer validate"],
    ),
    "CMake": Layout(
        {"CMakeLists.txt": "enable_testing()\nadd_test(a a)\n", "lib/CMakeLists.txt": "", "lib/a.c": ""},
        ["lib/a.c"],
        ["ctest"],
        ["cmake --build build && ctest --test-dir build", "ctest --test-dir build --output-on-failure"],
        ["ctest --test-dir build -R a", "ctest -R=a", "ctest --rerun-failed"],
        ["cmake --build build"],
    ),
    "a script of the project's own that the guide names": Layout(
        {
            "CONTRIBUTING.md": "Run `sh dev.sh test`; `sh dev.sh release` publishes, `sh gone.sh test` is gone.\n",
            "dev.sh": 'case "$1" in test) python3 -m unittest ;; esac\n',
            "shop.py": "",
            "test_shop.py": "import unittest\n",
        },
        ["shop.py"],
        ["sh dev.sh test"],
        ["sh dev.sh test", "bash dev.sh test", "./dev.sh test", "python3 -m unittest"],
        [],
        ["sh dev.sh release", "sh gone.sh test"],
    ),
    "C with make check": Layout(
        {"Makefile": "all:\n\tcc a.c\ncheck: all\n\t./run-tests\n", "a.c": ""},
        ["a.c"],
        ["make check"],
        ["make check", "make -j4 check", "make --keep-going check"],
        [],
        ["make", "make all"],
    ),
    "an umbrella of Elixir": Layout(
        {
            "mix.exs": "",
            "apps/a/mix.exs": "",
            "apps/a/lib/a.ex": "",
            "apps/a/test/a_test.exs": "",
            "apps/b/mix.exs": "",
        },
        ["apps/a/lib/a.ex"],
        ["cd apps/a && mix test"],
        ["mix test", "cd apps/a && mix test"],
        ["cd apps/a && mix test test/a_test.exs:3", "mix test --only fast", "mix test --stale"],
        ["cd apps/b && mix test", "mix compile"],
    ),
    ".NET": Layout(
        {"App.sln": "", "App/App.csproj": "", "App/A.cs": "", "App.Tests/App.Tests.csproj": ""},
        ["App/A.cs"],
        ["dotnet test"],
        ["dotnet test", "dotnet test App.sln", "dotnet test App.Tests", "dotnet test -c Release"],
        ["dotnet test --filter Name=a", "dotnet test --filter=a"],
        ["dotnet build"],
    ),
    "just": Layout(
        {"justfile": "test:\n    cargo test\nlint:\n    cargo clippy\n", "Cargo.toml": "[package]\n"}
        | {"src/lib.rs": "#[cfg(test)]\nmod t { #[test] fn a() {} }\n"},
        ["src/lib.rs"],
        ["just test"],
        ["just test", "cargo test", "cargo t"],
        ["cargo test adds", "cargo test --doc"],
        ["just lint", "cargo check"],
    ),
    "task": Layout(
        {
            "Taskfile.yml": "version: '3'\ntasks:\n  test:\n    cmds:\n      - go test ./...\n",
            "go.mod": "",
            "a_test.go": "",
        },
        ["a.go"],
        ["task test"],
        ["task test", "go test ./..."],
        ["go test -skip=A ./..."],
        ["task lint", "go vet ./..."],
    ),
    "a crate without tests": Layout(
        {"Cargo.toml": "[package]\n", "src/main.rs": "fn main() {}\n"},
        ["src/main.rs"],
        ["cargo build"],
        ["cargo build", "cargo check", "cargo build --release"],
        [],
        ["cargo clippy", "cargo fmt --check"],
    ),
    "a script for all": Layout(
        {"scripts/test.sh": "pytest\n", "src/a.py": "", "web/app.js": ""},
        ["src/a.py", "web/app.js"],
        ["./scripts/test.sh"],
        ["./scripts/test.sh", "bash scripts/test.sh"],
        [],
        ["bash scripts/lint.sh"],
    ),
    "an executable for all": Layout(
        {"run_tests": '#!/bin/sh\nexec python3 -m unittest "$@"\n', "src/a.py": "", "test_a.py": "import unittest\n"},
        ["src/a.py"],
        ["python -m unittest"],
        ["./run_tests", "python3 -m unittest"],
        ["./run_tests -k a", "./run_tests test_a.T"],
        ["./run_lints"],
    ),
    "front and back in one repository": Layout(
        {
            "web/package.json": scripts(test="vitest run"),
            "web/package-lock.json": "{}",
            "web/src/a.test.ts": "",
            "api/pyproject.toml": "[tool.pytest.ini_options]\n",
            "api/tests/test_a.py": TEST_PY,
            "README.md": "",
        },
        ["web/src/a.ts", "api/app.py", "README.md"],
        ["cd web && npm test", "cd api && pytest"],
        ["(cd web && npm test) && cd api && pytest", "npm --prefix web test && pytest api"],
        [],
        ["pytest", "cd web && npm test", "pytest api"],
    ),
}


def build(layout: Layout, place: Path) -> str:
    """Write a project's files; return its root."""
    for name, content in layout.files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(content, "utf-8")
    return str(place)
