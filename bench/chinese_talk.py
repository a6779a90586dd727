"""Conversations in Chinese and questions about them, made from parts of our own: for measuring recall in Chinese.

    python bench/recall.py --chinese

Two people who work on the same thing talk in several sessions about what each did, chose, owns and plans. A question
asks for one of it (category 1: what answers is one turn among others of its like) or, in words of its own, for all of a
kind that one of them said (category 2: what answers is three turns).
"""

import random
from typing import Any

NAMES = ("陈晓", "周宁", "林岚", "赵桐", "何川", "沈悦", "罗平", "苏禾")
PLACES = ("杭州", "成都", "青岛", "西安", "厦门", "昆明", "长沙", "苏州", "大连", "桂林", "南京", "武汉")
MONTHS = ("一月", "二月", "三月", "四月", "五月", "六月", "七月", "八月", "九月", "十月", "十一月", "十二月")
DAYS = ("周一", "周二", "周三", "周四", "周五")
# What is talked about: what it may be, what is said of it, the question, and what the other one asks before.
TOPICS: tuple[tuple[tuple[str, ...], str, str, str], ...] = (
    (
        ("登录服务", "支付网关", "搜索接口", "报表系统", "消息队列", "图片上传"),
        "我昨天把{x}的超时改成了{n}秒，之前太短，老是断。",
        "{who}把{x}的超时时间设成了多少？",
        "最近线上还稳定吗？",
    ),
    (
        ("订单表", "用户表", "日志表", "库存表", "权限表", "优惠券表"),
        "{x}的迁移我决定放到{month}再做，现在数据量太大，风险高。",
        "{who}打算什么时候迁移{x}？",
        "数据库那边的计划定了没有？",
    ),
    (
        ("前端组件库", "后台任务", "推荐模块", "移动端", "命令行工具", "监控告警"),
        "{x}我们最后选了{tool}，主要是团队里有人熟悉。",
        "{x}用的是什么技术，{who}为什么选它？",
        "技术选型有结论了吗？",
    ),
    (
        ("测试环境", "预发布环境", "演示环境", "备份机房", "文档站点", "内部论坛"),
        "我申请了{n}台机器给{x}，{day}应该能到位。",
        "{x}要用几台服务器？",
        "资源够不够用？",
    ),
    (
        ("钢琴", "羽毛球", "摄影", "烘焙", "书法", "潜水"),
        "下班以后我开始学{x}了，报了{n}节课，老师在{place}很有名。",
        "{who}工作之余在学{x}，一共多少课时？",
        "你最近业余时间都干什么？",
    ),
    (
        ("妹妹", "父母", "大学同学", "表哥", "邻居", "老同事"),
        "{month}我陪{x}去了一趟{place}，住了{n}天，那边的早饭特别好吃。",
        "{who}和{x}去哪里旅行了？",
        "假期过得怎么样？",
    ),
    (
        ("小猫", "金毛犬", "乌龟", "鹦鹉", "兔子", "仓鼠"),
        "家里新养了一只{x}，今年{n}个月大，名字叫{pet}。",
        "{who}的宠物{x}叫什么？",
        "听说你家里添了新成员？",
    ),
    (
        ("发布流程", "代码评审", "值班安排", "需求评审", "故障复盘", "新人培训"),
        "关于{x}，我的意见是固定在{day}下午，不然总有人缺席。",
        "{who}希望{x}安排在星期几？",
        "流程上你有什么建议？",
    ),
    (
        ("膝盖", "牙齿", "眼睛", "肩膀", "胃", "后背"),
        "{x}有点不舒服，去{place}的医院检查了一下，医生让我休息{n}天。",
        "{who}因为{x}的问题要休养多久？",
        "你看起来有点累，没事吧？",
    ),
    (
        ("科幻小说", "历史传记", "推理小说", "诗集", "菜谱", "游记"),
        "上个月读完一本{x}，书名是《{book}》，推荐你也看看。",
        "{who}推荐的那本{x}是哪一本？",
        "有什么好书推荐吗？",
    ),
)
# The same topics, asked for as a whole and in words that nobody said.
WHOLE = (
    "{who}调整过哪些服务的等待上限？",
    "{who}把哪些数据搬家的工作往后推了？",
    "{who}做过哪些技术选择，理由是什么？",
    "{who}为哪些地方要过硬件资源？",
    "{who}有哪些业余爱好？",
    "{who}跟谁一起出过门，玩了几天？",
    "{who}养了哪些动物？",
    "{who}对团队开会的时间有什么主张？",
    "{who}身体哪些部位看过医生？",
    "{who}最近看了些什么书？",
)
SMALL = (
    "好的，我知道了。",
    "哈哈，确实是这样。",
    "那我回头再看看。",
    "辛苦了，谢谢你。",
    "这个我也遇到过，挺麻烦的。",
    "行，有消息我告诉你。",
    "今天天气不错，适合出去走走。",
    "会议改到下午三点了，别忘了。",
)
TOOLS = ("消息总线", "静态页面", "图数据库", "列式存储", "事件溯源", "函数计算", "边缘缓存", "容器编排")
PETS = ("豆包", "年糕", "芝麻", "可乐", "花卷", "团子", "布丁", "汤圆")
BOOKS = ("远山来信", "潮水以北", "第七个夏天", "灯塔之下", "无人车站", "旧城地图", "白色海岸", "冬夜厨房")


def make_talk(seed: int = 11) -> list[dict[str, Any]]:
    """Return four conversations in the format of LoCoMo, the same for the same seed."""
    chance = random.Random(seed)
    return [_make_one(chance, NAMES[at : at + 2]) for at in range(0, len(NAMES), 2)]


def _make_one(chance: random.Random, pair: tuple[str, ...]) -> dict[str, Any]:
    said = [(at, x, who) for at, topic in enumerate(TOPICS) for x, who in zip(topic[0], pair * 3, strict=True)]
    chance.shuffle(said)
    talk: dict[str, Any] = {}
    asked: list[dict[str, Any]] = []
    answers: dict[tuple[int, str], list[str]] = {}
    for session in range(1, 13):
        turns: list[dict[str, str]] = []

        def say(who: str, text: str, number: int = session, turns: list[dict[str, str]] = turns) -> str:
            turns.append({"speaker": who, "dia_id": f"D{number}:{len(turns) + 1}", "text": text})
            return turns[-1]["dia_id"]

        for at, x, who in said[session * 5 - 5 : session * 5]:
            _, statement, question, opening = TOPICS[at]
            other = pair[pair[0] == who]
            words = {
                "x": x,
                "who": who,
                "n": chance.randint(2, 30),
                "month": chance.choice(MONTHS),
                "day": chance.choice(DAYS),
                "place": chance.choice(PLACES),
                "tool": chance.choice(TOOLS),
                "pet": chance.choice(PETS),
                "book": chance.choice(BOOKS),
            }
            say(other, opening)
            turn = say(who, statement.format(**words))
            say(other, chance.choice(SMALL))
            if chance.random() < 0.5:
                say(who, chance.choice(SMALL))
            asked.append({"question": question.format(**words), "evidence": [turn], "category": 1})
            answers.setdefault((at, who), []).append(turn)
        talk[f"session_{session}"] = turns
        talk[f"session_{session}_date_time"] = f"9:00 am on {session * 2} March, 2024"
    for (at, who), turns_of in answers.items():
        asked.append({"question": WHOLE[at].format(who=who), "evidence": turns_of, "category": 2})
    return {"sample_id": "".join(pair), "conversation": talk, "qa": asked}
