"""English texts of `mi race`."""

TEXT: dict[str, str] = {
    "error.race-without-task": '--agents and -n are for a new race: mi race "<task>" --agents codex,claude -n 3',
    "error.race-number": "-n {value}: a race has {least} to {most} runs, at least one of each agent",
    "error.no-race": 'no race in {root} yet (begin one: mi race "<task>" --agents codex,claude)',
    "error.no-such-race": "no race {ref}, and no race with that run (mi race shows the latest)",
    "error.race-pick-what": "which run is to be brought over? mi race pick RUN (mi race shows how they stand)",
    "error.race-picked": "{picked} of {race} was brought over already (to bring over another one as well: mi merge {run})",
    "race.queued": "{id}: {count} runs are queued, each with a work tree and a branch of its own",
    "race.next": "mi worker --drain works on them; mi race shows how they stand; mi race pick <run> takes one",
    "race.unbent": "judges unbent",
    "race.size": "{lines} line{lines:s} in {files} file{files:s}",
    "race.goes-on": "still going on: mi race shows the order when all have ended",
    "race.nobody": "none is done, so none is proposed (mi report {run} shows what is missing of the first)",
    "race.proposed": "proposed: {run} ({grounds})\n  look     mi report {run} · mi diff {run}\n  take it  mi race pick {run}",
    "race.picked": "picked: {run}; the others' branches stay until mi runs clean",
    "race.ground-verified": "verified",
    "race.ground-proved": "proved",
    "race.ground-unbent": "no judge bent",
    "race.ground-smallest": "the smallest difference",
}
