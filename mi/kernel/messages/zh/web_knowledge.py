"""页面关于知识、任务、花费和健康状况的文字。"""

TEXT: dict[str, str] = {
    "web.costs": "花费",
    "web.grouped": "分组",
    "web.measure": "按什么计量",
    "web.span": "时间范围",
    "web.span-days": "{count} 天",
    "web.span-all": "全部",
    "web.costs-caption": "各次运行合计的花费；运行没有告知的部分为未知。",
    "web.at-least": "{figure} + 未知",
}
