"""`mi race` 的中文文本。"""

TEXT: dict[str, str] = {
    "error.race-without-task": '--agents 和 -n 用于新的比赛：mi race "<任务>" --agents codex,claude -n 3',
    "error.race-number": "-n {value}：一场比赛有 {least} 到 {most} 次运行，每个代理至少一次",
    "error.no-race": '{root} 还没有比赛（开始一场：mi race "<任务>" --agents codex,claude）',
    "error.no-such-race": "没有比赛 {ref}，也没有包含这次运行的比赛（mi race 显示最近一场）",
    "error.race-pick-what": "要并入哪一个运行？mi race pick 运行编号（mi race 显示各个的情况）",
    "error.race-picked": "{race} 的 {picked} 已经并入（若还要并入另一个：mi merge {run}）",
    "race.queued": "{id}：{count} 次运行已排队，各有自己的工作树和分支",
    "race.next": "mi worker --drain 会执行它们；mi race 显示进展；mi race pick <运行> 选用其一",
    "race.unbent": "判据未被改动",
    "race.size": "{files} 个文件中的 {lines} 行",
    "race.goes-on": "仍在进行：全部结束后 mi race 显示名次",
    "race.nobody": "没有一个完成，因此不推荐任何一个（mi report {run} 显示第一名还缺什么）",
    "race.proposed": "推荐：{run}（{grounds}）\n  查看  mi report {run} · mi diff {run}\n  选用  mi race pick {run}",
    "race.picked": "已选用：{run}；其余的分支保留到 mi runs clean",
    "race.ground-verified": "已验证",
    "race.ground-proved": "已证明",
    "race.ground-unbent": "没有改动判据",
    "race.ground-smallest": "差异最小",
}
HELP = {
    "the same task by several agents; take the best": "让几个代理做同一任务，选用最好的",
    "Let several agents work on one task, each in a work tree of its own; show who is proposed first and why; bring the one over that you pick": "让几个代理做同一任务，各在自己的工作树里；显示推荐谁及原因；把你选中的并入",
    "the task; or the race to look at (default: the latest); or pick and the run to bring over": "任务；或要查看的比赛（默认：最近一场）；或 pick 加要并入的运行",
    "who races, in turn: codex,claude (default: yours)": "轮流参赛的代理：codex,claude（默认：你配置的）",
    "runs in all (default: one each, at least 2)": "总共几次运行（默认：每个一次，至少 2 次）",
}
