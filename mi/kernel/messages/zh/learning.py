"""中文文本：learning。HELP 的键是代码里的英文帮助原文。"""

TEXT: dict[str, str] = {
    # values and why
    "values.summary": "理解为：",
    "values.usual-procedure": "按以上价值观行事；没有涵盖而步骤又影响外部或不可逆时，先询问。",
    "values.usual-chart": "flowchart TD\n  Q[一个选择] --> V{{价值观是否涵盖？}}\n  V -->|是| G[照此行事]\n  V -->|否| X{{影响外部或不可逆？}}\n  X -->|是| A[询问]\n  X -->|否| S[最稳妥的合理选择]",
    "values.summary-title": "价值观，以及如何据此做决定",
    "values.procedure": "如何做决定：{summary}",
    "values.left-out": "模型的提议中未采用：{note}",
    "values.unchanged": "文本没有改动，未存储任何内容。",
    "what-if.found": "{runs} 次运行的 {decisions} 个决定中，有 {flips} 个会不同。",
    "what-if.no-decisions": "这个项目还没有存下任何运行的决定：没有可以重新判断的内容。",
    "what-if.unlike": "未比较：{count} 个，即使按当时的价值观，现在的判断也与当时不同。",
    "what-if.cost": "将询问 {mind} {calls} 到 {most} 次（{calls} 次共读 {kilobytes} KB）。现在还没有询问：加上 --yes，或去掉 --mind，由不花费用的规则判断。",
    "what-if.was": "当时",
    "what-if.would": "会是",
    "what-if.answered": "已代答",
    "what-if.asked": "询问你",
    "what-if.done": "完成",
    "what-if.blocked": "受阻",
    "what-if.sent": "继续发送",
    "error.what-if-source": "请说明要试的价值观：--text 文本 或 --file 文件 代替你的价值观，或 --add 文本 加在其后",
    "values.template": "用自己的话写下你希望事情怎么做，每句或每行一个想法。\n横线以下的内容不会被读取。想放弃就不要改动文本。",
    "notice.values-by-rules": "{mind} 无法判断你的价值观：每句话按原样保存（原因见 {path}）",
    "notice.mind-unusable": "Mind 无法使用，改由固定规则判断：{reason}",
    "notice.draft-kept": "你的草稿保存在 {path}",
    "why.chosen": "依据 {ids}（置信度 {confidence}）",
    "why.recorded-model": "截至 {time}。记录为 {event_id}；写入 {edges} 条边。",
    "why.recorded-failed": "截至 {time}。记录为 {event_id}；模型失败，以上来自已记录的 id。",
    "error.no-editor": "没有编辑器：$VISUAL 和 $EDITOR 都没有指定（{value!r}）。请设置一个，或在命令行上写明（见 --help）",
    "error.editor-failed": "编辑器 {editor!r} 失败：{reason}；未存储任何内容",
    # checkpoints and mining
    "suggestion.applied": "已从 {id} 学到：{claims}（{event_id}）",
    "suggestion.dismissed": "已拒绝 {id}，不会再次建议（{event_id}）",
    "suggestion.would-apply": "将学习（{scope}）：{text}",
    "suggestion.would-merge": "已有相同的 {claims}：{text}",
    "mining.done": "写入的主张：{count}（{event_id}）",
    "mining.nothing": "没有发现值得保留的内容（{event_id}）",
    "mining.by-rules": "固定规则不会挖掘主张：这需要模型（mind.provider，见 mi config show）（{event_id}）",
    "mining.left-out": "未采用：{note}",
    "error.unknown-suggestion": "此项目中没有建议 {id}（mi inbox 列出所有项目中等待的内容）",
    "error.suggestion-settled": "建议 {id} 已经处理过（主张：{claims}）；mi claim list --tag mi:learned 显示学到的内容",
    "error.yes-or-no": "{id} 是一条建议：请回答 yes 或 no（是或否），而不是 {value!r}",
}

HELP: dict[str, str] = {
    # values and why
    "at the end, say why the last decision was taken": "结束时说明最后一个决定的原因",
    "write your values in your editor ($VISUAL or $EDITOR)": "在编辑器中写价值观（$VISUAL 或 $EDITOR）",
    "show the exact text that agents get": "显示代理收到的原文",
    "with --injection: as for this task": "与 --injection 一起：按此任务",
    # checkpoints and mining
    "learn what was suggested": "学习建议的内容",
    "look for claims in the latest run": "在最近一次运行中寻找主张",
    "the suggestion's id, from `mi inbox`": "建议的编号，来自 `mi inbox`",
    "show what would be stored, store nothing": "显示将要存储的内容，不存储",
}
