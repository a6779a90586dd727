"""中文。"""

from mi.kernel.language import CJK
from mi.kernel.language.zh_agents import ChineseAgents

_ENDS = "。！？"
_CLOSES = "”’」』）)"
_NUMERALS = "一二三四五六七八九十"


class Chinese(ChineseAgents):
    """What MI knows of Chinese; no blank parts its words, so they are looked for anywhere in a text."""

    script = f"[{CJK}]"
    sentence_break = rf"(?<=[{_ENDS}])(?![{_ENDS}{_CLOSES}])|(?<=[{_ENDS}][{_CLOSES}])"
    quotation = r"「[^」\n]{0,400}」|『[^』\n]{0,400}』|《[^》\n]{0,400}》"
    full_stops = ("。", "！")
    question_marks = ("？",)
    commas = ("，",)
    semicolons = ("；",)
    colons = ("：",)
    list_marks = ("、", "．")
    opening_brackets = ("（",)
    closing_brackets = ("）",)
    closing_quotes = ("」", "』")
    numerals = _NUMERALS
    empty_words = tuple(
        """什么 是否 可以 需要 我们 你们 他们 这个 那个 一个 还是 或者 如果 因为 所以 但是 不要 应该 请问 怎么 如何 使用
        进行 以及""".split()
    )

    # consent
    yes = tuple("是 好 好的 可以 同意 行 对 确认 批准 没问题 通过".split())
    no = tuple("不 不要 否 不用 不行 别 取消 不同意 不好".split())
    no_yes = tuple("好像 是否 行不 对不 可以吗".split())
    refusal = r"(?:请|先|暂时?|还是|那就?|最好|千万|我)*(?:不|别|停|否|取消|拒绝|驳回|算了|等|禁止|没必要)"
    no_refusal = r"不(?:用|必|要)(?:再?问|等|停|担心)|不(?:错|反对|介意)|别(?:再?问|等|停|担心)"
    yes_to_tasks = ("加",)
    yes_to_lesson = ("要", "嗯")
    go_on = ("继续",)

    # what a person asks for
    politeness = (
        r"请你?|帮我|帮忙|麻烦你?|能不能|能否|可不可以|可以|可否|你能|能|我想要?|我要|然后|并且?|再|顺便|同时|先|最后"
    )
    clause_break = r"然后|并且|并|再"
    inquiry = r"什么|为什么|为何|怎么|如何|哪|解释|说明|总结|列出|分析|介绍|看看|看一下|查看|告诉我|对比|比较|评估|检查|调查|统计"
    asks_only = r"只(?:要|需|是)?(?:告诉|解释|回答|分析|看看|说明)|(?:不要|别|无需|不用|不)(?:改|修改|改动|动)(?:任何|代码|文件|东西)?(?:$|[，。；、]|代码|文件|东西)"
    looks = r"运行|执行|跑|查看|看|读|打开|检查"
    question_particle = r"[吗呢]\s*[。.]?\s*$"
    change = (
        r"修复|修正|修改|修|添加|增加|加上|加|实现|编写|写|创建|新建|建|删除|删|移除|去掉|重构|更新|改|替换|换|升级|优化|生成"
        r"|重命名|迁移|安装|配置|设置|提交|推送|发布|部署|解决|完成|补充|整理|翻译|把|让(?!我)|使|弄|搞|处理|调整|调|变|恢复|撤销|清理|改进|支持"
    )
    ask_me = r"问我|我同意|我确认|经我"
    lasting = r"以后|今后|总是|永远|每次|一律|从现在起|默认|再也不|不要再|别再|务必|优先"
    vague_words = tuple("差不多 大概 之类 等等 看着办 随便 什么的".split())
    unclear_parts = (
        r"继续|优化|处理|完成|解决|改进|改善|修复|修改|修|改|弄|搞定|搞|做|开始|看看|看|帮我|帮忙|麻烦|请|一下|一点|这个|那个|这些|那些|东西|问题"
        r"|它们|它|这|那|所有|全部|更好|好|点|更|快速|快|赶紧|尽快|马上|再|就|下|吧|了|的|把|给|我|你|来|去|得|地|直接|然后|和|跟|让|变"
    )
    mending = r"修|通过|失败"
    failing_tests = (
        r"(?:失败|不通过|没通过|挂掉?|红)了?的?[^，。；\n]{0,6}(?:测试|用例)|(?:测试|用例)[^，。；\n]{0,8}(?:失败|不通过|没通过|挂了|红)"
        r"|(?:让|使|把)[^，。；\n]{0,10}(?:测试|用例)[^，。；\n]{0,6}(?:通过|变绿|转绿|跑通)|修(?:好|复)?[^，。；\n]{0,6}(?:测试|用例)"
    )
    adds_tests = r"(?:添加|增加|补充|补上|编写|写|加上?|补|完善)[^，。；\n]{0,12}(?:测试|用例)"
    keeps_behaviour = (
        r"重构|不改变行为|重命名|改名|类型标注|仅类型|优化|加速|提速|整理|简化|拆分|提取|格式化|文档|注释|移动"
    )
    renames = r"重命名|改名|移动|移到|合并|拆分"
    take_away = r"删除|删掉|移除|去掉|跳过|禁用"
    negation = r"不要?|别|勿|禁止"
    before_name = r"测试|用例|文件|函数|方法|过时的?|旧的?|这个|那个|里的?|中的?|和|与|的|掉|整个"
    adjust = (
        r"更新|调整|修改|改写|重写|改|换|适配|同步|重构|整理|迁移|设置|配置|排除|忽略|增加|添加|加上|替换|使用|补充"
    )
    move_away = r"移动|移到|挪到|搬到|改名|重命名"
    test_words = r"(?:相关|对应|已有|现有|的|单元|所有|全部)*(?:测试|用例|快照|断言|期望值?|预期)"
    no_object = r"使|让|直到|通过|不|别|勿|以便"
    tests_stay = r"(?:不要|不得|不能|不许|别|勿|禁止|无需|不)(?:去|再)?(?:修改|改动|改|动|碰|更新|调整)(?:任何|现有|已有|的)*(?:测试|用例|快照)|(?:测试|用例)(?:保持不变|不要动|不能改)"
    tests_wrong = r"(?:测试|用例|期望值?|预期|断言|快照)[^。，]{0,8}(?:过时|过期|写错|有误|错了|不对|不稳定)|(?:过时|过期|错误|不稳定)的(?:测试|用例|期望|断言|快照)"
    with_tests = r"(?:及其|和它的|连同|以及相关的?|及相关的?)(?:测试|用例)"
    brings = r"增加|添加|加上|补充|使用|编写|写"
    leaves_value = r"从|由|不是|而不是"
    states = r"改为|改成|变成|变为|返回|输出|显示|抛出|使用|为|成|是|到|用|叫"
    new_names = r"(?:把|将)?\s*[`“]?(?P<old>[\w./-]+?)(?:\(\))?[`”]?\s*(?:函数|方法|类|模块|变量|参数)?\s*(?:重命名|改名|更名)(?:为|成)\s*[`“]?(?P<new>[\w./-]+\w)"
    weakens_tests = r"(?:删除|去掉|禁用|跳过|注释掉)[^。]{0,20}(?:测试|断言|hook|检查)"

    # plans
    announces_steps = (
        r"(?:计划|步骤|方案|待办|任务清单|任务列表|接下来(?:我|我们)?(?:会|将|要))[^。！？\n]{0,30}[:：]?[ \t*_#]*$"
    )
    numbered_line = rf"第([{_NUMERALS}]+)步|([{_NUMERALS}]+)、"
    # Each matches the first two characters alone, so that what follows is sought right behind them.
    first = r"首先(?=[^。！？\n]{2})|第一(?=步[^。！？\n]{2})|先[^。！？\n](?=[^。！？\n])"
    then = r"(?:然后|接着|之后|随后|再|最后|其次|第二步|下一步)[^。！？，、；,;\n]{2,}"
    past = r"[了过](?:[，。；,;]|$)|先[^，。；,;\s]{1,3}[了过]"
    report = r"已|完成了"

    # rules and lessons
    turns = r"不|别|勿|禁|没|无|必须|总是|只|先|除非|允许"
    joins = r"[，；：]|[。！？]\S|(?<!合)并|然后|同时|接着|但|否则"
    loosens = r"不用|无需|不必|不需要|不要(?:问|确认|检查|测试)|别问|可以直接|直接|跳过|忽略|允许|绕过|关闭|信任"
    holds_back = r"先(?:问|确认|征求)|(?:不要|不得|禁止|别)(?:再)?(?:推送|发布|删除|安装|部署|上传|覆盖|强制)"
    checks_first = (
        r"^\w{0,12}前(?:都|要|应|必须|务必)*先?(?:运行|跑|执行)(?:全部|所有|单元|完整|一遍|的)*(?:测试|检查)[。！]?$"
    )
    about_a_check = r"项目|仓库|代码|测试|单元|全部|所有|检查|构建|命令|运行|执行|使用|通过|成功|可以|退出码|[这本该此的用跑是由来为都了已]"
    silent_marks = tuple("，。！？；：、…“”‘’（）《》")

    # governance
    urgency = ("快", "急", "赶")
    urgency_stops = tuple(
        """快速搜索 快速入门 快速开始 快速启动 更快 变快 快捷 快照 快递 快进 快门 快餐 快排 快速排序 快取 快讯 快乐 愉快
        痛快 畅快 凉快 不快 急诊 急救 急性 应急 救急 急停 缓急 急剧 不急 别急 不着急 不用急 不赶 别赶 不用赶 追赶 赶集
        赶上""".split()
    )
    just_change = ("就改一下",)
    full_challenge = tuple("完整挑战 完整的挑战 完整质疑 全面质疑".split())
    triggers = {
        "T3": tuple(
            """付款 支付 金额 财务 金融 退款 账单 发票 预算 转账 花钱 资金 价格 数据安全 数据泄露 隐私 个人信息 用户数据
            不可逆 无法撤销 不可恢复 永久删除 清空 删库 删表 强推 强制推送""".split()
        ),
        "T4": tuple("人事 招聘 招人 雇 解雇 裁员 开除 辞退 组织架构 团队重组 离职 晋升 绩效 编制 薪资".split()),
        "T5": tuple("架构 技术栈 技术选型 选型 数据库结构 表结构 数据模型 微服务 单体应用 改表 加字段".split()),
        "T9": tuple("部署 上线 发布 发版 上生产 回滚".split()),
    }
    trigger_stops = {"T3": ("价格战",), "T5": ("组织架构", "架构师"), "T9": ("发布会", "线上线下")}
    flags = {
        "auth": tuple("认证 鉴权 登录 授权 权限 密码 单点登录".split()),
        "encryption": tuple("加密 解密 证书 密钥 私钥".split()),
        "migration": tuple("迁移 表结构 改表 搬迁".split()),
        "delete_data": tuple("删除数据 删数据 清空 删库 删表 清除数据 删除用户 删除记录".split()),
        "new_dependency": tuple("新依赖 加依赖 引入依赖 引入库 安装依赖 新库 升级依赖".split()),
        "external_service": tuple("第三方 外部服务 外部接口 外部系统 接入".split()),
        "cross_project": tuple("跨项目 跨仓库 其他项目 另一个项目 其他仓库 多个仓库".split()),
        "fresh": tuple("最新版 最新的 最近发布 当前价格 最新文档".split()),
        "public_api": tuple("公开接口 公共接口 对外接口 接口变更 破坏性变更".split()),
        "irreversible": tuple("不可逆 无法撤销 不可恢复 永久删除 强制推送 强推".split()),
        "production": tuple("生产环境 生产库 生产数据 线上 真实用户 正式环境".split()),
    }
    against = tuple("不要 不用 不再 禁止 别 不能 停用 去掉 弃用 改用 取代 替换 绕过 跳过".split())
    order_to_run = r"请?(?:运行|执行|跑)\s*(?:一下)?"
    override = r"直接做|不需要讨论"
    speed_level = r"速度级别\s*[:：]?\s*([0-4])(?!\d)"
    speed_filler = r"[用按请以走]|模式|速度|级别|切到|切换到|来"
    storage = r"[是的桶存有和]"
    courtesy_before = r"好的?|那|请"
    courtesy_after = r"吧|了|啦|啊|哦"

    # sessions
    end_words = ("结束", "收工")
    closing = tuple("今天到这 下次继续 今天先到这 今天就到这 今天就先到这 明天继续".split())
    goodbye = ("再见", "拜拜", "回头见", "明天见")
    summary_wish = r"总结一下(?:今天|这次|本次|会话|对话)?|(?:今天|这次|本次|会话)的?(?:总结|小结)"
    task_ended = ("做完了", "下一个", "换个任务", "先这样")
    save_replies = ("存",)
    captures = {
        "principle": tuple("原则 底线 宁可 更重要 永远不要".split()),
        "lesson": tuple("教训 下次要 下次不 吸取 踩坑 踩了坑 早知道 不该".split()),
        "pattern": tuple("以后都 今后都 我习惯 我喜欢 我偏好 每次都 我一般 我们一般".split()),
        "decision": tuple("决定 就用 选用 采用 敲定 定下来".split()),
    }
    log_headings = {
        "completed_items": ("完成事项", "已完成", "完成"),
        "decisions": ("决策", "决定"),
        "next_steps": ("下一步", "待办", "后续"),
        "candidate_insights": ("候选认知", "认知"),
        "external_ai_calls": ("外部ai调用", "外部调用"),
        "incidents": ("事故", "事件"),
    }
    work_log = r"工作日志"

    # knowledge and tasks
    architecture = r"架构|设计原则|设计理念|使命|入门"
    rule = r"禁止|必须|不得|务必|绝不"
    not_lasting = {
        "todo": r"待办|记得|别忘|还需要|还没做|以后再",
        "task-state": r"进行中|正在做|做到一半|进度|已完成第|下一步是|完成了\s*\d",
        "bug-fix": r"修复了|修了|改好了|修正了.{0,12}(?:错误|问题|bug)",
    }
    trick = r"小技巧|绕过|临时方案|第\s*\d+\s*行"
    generated = r"自动生成"
    runtime_criterion = r"运行|执行|返回|退出|响应|输出|报错|抛出|通过|测试|启动|崩溃|行为|处理|保存|读取|写入"
    text_criterion = r"包含|列出|说明|描述|准确|正确|完整|一致|章节|示例|表格|引用|每个|所有"
    refactoring = r"重构|不改变行为"
    types_only = r"仅类型|类型标注"

    # secrets
    secret_names = ("密码", "密钥", "口令", "令牌")
    secret_is = r"[ \t]?[已设置改重]{0,4}[是为成][ \t:：]{0,3}"
    secret_is_words = ("是", "为", "成")


PATTERNS = Chinese()
