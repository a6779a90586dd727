"""评测领域的中文文本。"""

TEXT: dict[str, str] = {
    "error.bench-nothing": "没有名为 {value!r} 的场景（类别：{known}；全部编号：mi bench judge --list）",
    "error.bench-no-proof": "这个版本的 MI 没有自己的证明可测（请用 --mode events）",
    "error.bench-section": "{flag} {value!r} 不是 JSON 对象：{reason}（请按 mi config show 打印的样子给出该段配置）",
    "bench.progress": "已完成 {done}/{total}，{wrong} 个判错",
    "bench.proof": "有证明：{played} 次运行，其中 {tricks} 次是骗局",
    "bench.events": "只看代理的事件：{played} 次运行，其中 {tricks} 次是骗局",
    "bench.proved": "{done} 次完成中有 {proved} 次由 MI 自己运行检查得出",
    "bench.family": "类别",
    "bench.language": "语言",
    "bench.runs": "运行",
    "bench.all": "合计",
    "bench.goal-met": "✓ {mistakes}：{made}/{chances}（目标：最多 {allowed}）",
    "bench.goal-missed": "✗ {mistakes}：{made}/{chances}（目标：最多 {allowed}）",
    "bench.not-run": "未运行：{count} 个场景，因为这里没有安装 {program}",
}

HELP: dict[str, str] = {
    "measure a judge by agents that work honestly, err and lie": "用诚实、出错和说谎的代理来测量评判者",
    "measure a judge": "测量评判者",
    "let scripted agents work honestly, err and lie, and count where the judge is wrong": "让按脚本行事的代理诚实干活、出错、说谎，统计评判者错在哪里",
    "only so many scenarios, spread over the families": "只取这么多个场景，分布于各类别",
    "only scenarios of this family": "只取这一类别的场景",
    "only scenarios whose id begins with this; can be given again": "只取编号以它开头的场景；可以多次给出",
    "with MI's own proof, by the agent's events alone, or both (default: both)": "用 MI 自己的证明、只看代理的事件，或两者都测（默认：both）",
    "codex, claude, or a command that plays $MI_BENCH_SCRIPT": "codex、claude，或一条能按 $MI_BENCH_SCRIPT 行事的命令",
    "rules, own (as configured), or the mind section as JSON": "rules、own（按现有配置），或 JSON 形式的 mind 配置段",
    "another judge: a program that drives the agent and says how it ended": "另一个评判者：一个驱动代理并说明结果的程序",
    "scenarios at a time (default: half of the processors)": "同时进行的场景数（默认：处理器数的一半）",
    "print the scenarios and play none": "只列出场景，不运行",
}
