"""Which check covers which change: the packages of a project, the checks that reach them, and what is still missing."""

from collections.abc import Container, Iterable
from functools import cached_property

from mi.kernel.named_tuple import NamedTuple
from mi.project.checks.dependants import find_dependants
from mi.project.checks.detect import detect
from mi.project.checks.file_kinds import is_prose, is_test
from mi.project.checks.forms import plain_forms
from mi.project.checks.languages import holds_tests, language_of
from mi.project.checks.listing import FolderListing, is_below, joined, list_folders
from mi.project.checks.nearest import holds_nearest
from mi.project.checks.order import is_declared, rank
from mi.project.checks.packages import Package, find_packages, folders_above, package_of
from mi.project.checks.reach import CheckReach, CheckReader, Root
from mi.project.checks.recognition import CheckRun
from mi.project.checks.runner import Check


class Half(NamedTuple):
    """The part of a package that is written in one language; '' is whatever is in it."""

    package: Package
    language: str


class CheckedPart(NamedTuple):
    """A package's part in one language, and the checks that cover it, the first to be asked for."""

    package: Package
    language: str
    checks: list[Check]


class ProjectChecks:
    """The packages and checks of a project as its files are now."""

    def __init__(self, root: str, checks: list[Check], listing: FolderListing) -> None:
        self.root = root
        self._used: set[str] = set()
        self._gone: set[str] = set()
        self.packages = find_packages(listing)
        self._listing = listing
        self._reader = CheckReader(root, listing)
        kept = [check if rank(check) == 0 else check._replace(kind=self._reader.kind(check)) for check in checks]
        self.checks = sorted(kept, key=rank)
        self._by_folder = {package.folder: package for package in self.packages}
        self._reached: dict[Check, list[CheckReach]] = {}
        self._candidates: dict[Half, list[Check]] = {}
        self._tests: dict[Half, list[str]] = {}

    @classmethod
    def read(cls, root: str, own: Iterable[Check] = (), known: list[Check] | None = None) -> "ProjectChecks":
        """Return a project's checks; `own` are those the person set, `known` those it has, unless its files tell."""
        listing = list_folders(root)
        found = detect(root, listing) if known is None else known
        return cls(root, [*own, *found], listing)

    def prefer(self, used: Iterable[str], gone: Iterable[str]) -> None:
        """Ask first for commands that were seen to work here, and last for those that could not start."""
        self._used.update(used)
        self._gone.update(gone)
        self._candidates.clear()

    def needed(self, changed: Iterable[str], allowed: Container[str] | None = None) -> list[Check]:
        """Return the one check for each package and language that must be green; [] when only prose changed.

        One that covers several of them takes their place, where `allowed` has its command; None: any.
        """
        halves = self._with_dependants(changed)
        chosen = [self.candidates(half)[0] for half in halves]
        fewest = self._fewest(halves, chosen)
        is_allowed = allowed is None or all(check.command in allowed for check in fewest)
        return fewest if is_allowed else list(dict.fromkeys(chosen))

    def missing(self, changed: Iterable[str], ran: list[CheckRun], related: bool = False) -> list[Check]:
        """Return the needed checks that nothing which ran covers; `related`: the nearest tests are enough."""
        changed = list(changed)
        wanted = self._halves(changed) if related else self._with_dependants(changed)
        left = [half for half in wanted if not any(self._is_covered(half, run) for run in ran)]
        if related:
            left = [half for half in left if not self._nearest_ran(half, changed, ran)]
        return self._fewest(left, [self.candidates(half)[0] for half in left])

    def is_partial(self, run: CheckRun) -> bool:
        """Return whether a run left out tests of the package that it ran in."""
        if run.check.kind != "test":
            return False
        if self.narrowing(run):
            return True
        home = package_of(joined(run.folder, "x"), self._by_folder)
        reached = self._reader.reach(run.words, run.folder)
        inside = [one for one in reached if one.language and any(is_below(r.path, home.folder) for r in one.roots)]
        return any(self._tests_of(Half(home, one.language)) for one in inside) and not any(
            self._holds(one, Half(home, one.language)) for one in inside
        )

    def narrowing(self, run: CheckRun) -> tuple[str, ...]:
        """Return the words of a run that leave tests out by name."""
        return self._reader.narrowing(run.words, run.folder, run.settings)

    def scope(self, run: CheckRun) -> list[str]:
        """Return the packages that a run reaches, each with a language, for people."""
        reached = self._reader.reach(run.words, run.folder)
        halves = [Half(package, language) for package in self.packages for language in self._tested(package)]
        found = [half for half in halves if any(self._reaches(one, half) for one in reached)]
        return [f"{half.package.folder or '.'} ({half.language or 'all'})" for half in found]

    def candidates(self, half: Half) -> list[Check]:
        """Return the checks that cover a part of the project at the strength it offers, the first to be asked for."""
        if half not in self._candidates:
            reaching = [check for check in self._checks_near(half.package) if self._check_covers(check, half)]
            tests = [check for check in reaching if check.kind == "test" and self._is_test_of(check, half)]
            found = tests or [check for check in reaching if check.kind == "build"]
            self._candidates[half] = sorted(found, key=lambda check: self._preference(check, half))
        return self._candidates[half]

    def _checks_near(self, package: Package) -> list[Check]:
        """Return the checks of a package's folder and of those above and below it: no other reaches it."""
        above = {package.folder, *folders_above(package.folder)}
        return [one for one in self.checks if one.folder in above or is_below(one.folder, package.folder)]

    def _preference(self, check: Check, half: Half) -> tuple[bool, bool, bool, int, bool]:
        gone, used = check.command in self._gone, check.command in self._used
        return rank(check) > 0, gone, not used, rank(check), check.folder != half.package.folder

    def parts(self) -> list[CheckedPart]:
        """Return what of the project has checks, the root's first."""
        halves = [Half(package, language) for package in self.packages for language in self._tested(package)]
        return [CheckedPart(*half, self.candidates(half)) for half in halves]

    def asked_for(self) -> list[Check]:
        """Return the check of each package and language, the root's first."""
        return list(dict.fromkeys(part.checks[0] for part in self.parts()))

    # from files to halves

    def _with_dependants(self, changed: Iterable[str]) -> list[Half]:
        """Return the halves that a change is in, and those with tests that depend on its packages."""
        changed = list(changed)
        product = self._halves(file for file in changed if not is_test(file)) if len(self.packages) > 1 else []
        above = [
            Half(self._by_folder[folder], half.language)
            for half in product
            for folder in sorted(self._dependants.get(half.package.folder, ()))
            if half.language in self._tested(self._by_folder[folder])
        ]
        tested = [half for half in above if self.candidates(half)[0].kind == "test"]
        return list(dict.fromkeys([*self._halves(changed), *tested]))

    @cached_property
    def _dependants(self) -> dict[str, set[str]]:
        return find_dependants(self.packages, self._reader.text)

    def _halves(self, changed: Iterable[str]) -> list[Half]:
        files = [file for file in changed if not is_prose(file)]
        found = [self._half_of(file) for file in files]
        certain = [half for half in dict.fromkeys(found) if half.language]
        packages = {half.package for half in certain}
        loose = [half.package for half in dict.fromkeys(found) if not half.language and half.package not in packages]
        return [*certain, *(half for package in loose for half in self._all_halves(package, not certain))]

    def _half_of(self, path: str) -> Half:
        """Return the half that checks a file: its own language's, else that of a package above which reaches it."""
        own, language = package_of(path, self._by_folder), language_of(path)
        above = [self._by_folder[folder] for folder in folders_above(path) if folder in self._by_folder]
        for package in above:
            if language and self.candidates(Half(package, language)):
                return Half(package, language)
            if package == own and self._tested(package):
                return Half(package, "")
        return Half(own, "")

    def _all_halves(self, package: Package, is_alone: bool) -> list[Half]:
        """Return every half of a package; where it has none, and nothing else is asked for, those of what is above."""
        found = [Half(package, language) for language in self._tested(package)]
        if found or not is_alone:
            return found
        for folder in folders_above(package.folder):
            if folder in self._by_folder and (tested := self._tested(self._by_folder[folder])):
                return [Half(self._by_folder[folder], language) for language in tested]
        return []

    def _tested(self, package: Package) -> list[str]:
        """Return the languages of a package that have a check."""
        own = [one for check in self.checks if check.folder == package.folder for one in self._reach(check)]
        languages = dict.fromkeys([*package.languages, *(one.language for one in own)])
        found = [language for language in languages if language and self.candidates(Half(package, language))]
        return found or ([""] if self.candidates(Half(package, "")) else [])

    def _fewest(self, halves: list[Half], chosen: list[Check]) -> list[Check]:
        """Return the chosen checks, or the one that covers all halves alone."""
        several = list(dict.fromkeys(chosen))
        if len(several) < 2:
            return several
        weakest = max(map(rank, several))
        wide = [check for check in self.candidates(halves[0]) if rank(check) <= weakest]
        return [check for check in wide if all(check in self.candidates(half) for half in halves)][:1] or several

    # what covers what

    def _reach(self, check: Check) -> list[CheckReach]:
        if rank(check) == 0:
            return [CheckReach((Root(check.folder),), "", below=True)]
        if check not in self._reached:
            form = next(iter(plain_forms(check.argv)), None)
            folder = joined(check.folder, form.folder) if form else check.folder
            self._reached[check] = self._reader.reach(form.words, folder) if form else []
        return self._reached[check]

    def _check_covers(self, check: Check, half: Half) -> bool:
        return any(self._holds(one, half) for one in self._reach(check))

    def _is_covered(self, half: Half, run: CheckRun) -> bool:
        wanted = self.candidates(half)[0]
        if self._reader.kind_of_call(run.words, run.folder, run.check.kind) not in (wanted.kind, "test"):
            return False
        if rank(wanted) == 0:
            return run.check == wanted
        if self.narrowing(run):
            return False
        return any(self._holds(one, half) for one in self._reader.reach(run.words, run.folder))

    def _holds(self, reach: CheckReach, half: Half) -> bool:
        """Return whether a reach holds all tests of a half."""
        folder = half.package.folder
        if reach.language and half.language and reach.language != half.language:
            return False
        roots = [root for root in reach.roots if reach.below or is_below(root.path, folder)]
        if reach.patterns is None and any(root.deep and is_below(folder, root.path) for root in roots):
            return True
        tests = self._tests_of(half)
        return self._listing.complete and bool(tests) and all(_picks(reach, roots, test) for test in tests)

    def _reaches(self, reach: CheckReach, half: Half) -> bool:
        """Return whether a reach has anything of a half in it, be it not all."""
        if reach.language and half.language and reach.language != half.language:
            return False
        folder = half.package.folder
        inside = any(package_of(joined(root.path, "x"), self._by_folder) == half.package for root in reach.roots)
        return inside or (reach.below and any(is_below(folder, root.path) for root in reach.roots))

    def _is_test_of(self, check: Check, half: Half) -> bool:
        """Return whether a check has tests to run: maintainers named it, or files hold some."""
        return is_declared(check) or bool(self._tests_of(half))

    def _tests_of(self, half: Half) -> list[str]:
        if half not in self._tests:
            own = self._files[half.package.folder]
            self._tests[half] = [file for file in own if holds_tests(file, half.language, self._reader.text)]
        return self._tests[half]

    @cached_property
    def _files(self) -> dict[str, list[str]]:
        """The files of each package by its folder; those of packages below are not among them."""
        found: dict[str, list[str]] = {package.folder: [] for package in self.packages}
        for folder, names in self._listing.items():
            home = package_of(joined(folder, "x"), self._by_folder).folder
            found[home] += [path for name in names if (path := joined(folder, name)) not in self._listing]
        return found

    def _nearest_ran(self, half: Half, changed: list[str], ran: list[CheckRun]) -> bool:
        own = [file for file in changed if self._half_of(file) == half]
        return any(
            run.check.kind == "test"
            and holds_nearest(own, self._tests_of(half), self._reader.reach(run.words, run.folder))
            for run in ran
            if not self.narrowing(run)
        )

    @cached_property
    def has_tests(self) -> bool:
        """Whether any package of the project has tests."""
        return any(self._is_tested(package) for package in self.packages)

    def _is_tested(self, package: Package) -> bool:
        halves = [Half(package, language) for language in self._tested(package)]
        return any(self.candidates(half)[0].kind == "test" for half in halves)


def _picks(reach: CheckReach, roots: list, test: str) -> bool:  # type: ignore[type-arg]
    inside = any(is_below(test, root.path) if root.deep else test.rpartition("/")[0] == root.path for root in roots)
    if reach.patterns is None:
        return inside
    return (inside or not roots) and any(pattern.search(test) for pattern in reach.patterns)
