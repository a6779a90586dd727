"""Plans, rules and lessons, governance, sessions and knowledge, in Chinese."""

from mi.kernel.language import Patterns

NUMERALS = "一二三四五六七八九十"


class ChineseRules(Patterns):
    """What stands for more than one task."""

    # plans
    announces_steps = (
        r"(?:计划|步骤|方案|待办|任务清单|任务列表|接下来(?:我|我们)?(?:会|将|要))[^。！？\n]{0,30}[:：]?[ \t*_#]*$"
    )
    numbered_line = rf"第([{NUMERALS}]+)步|(?<![{NUMERALS}])([{NUMERALS}]+)、"
    # Each matches the first two characters alone, so that what follows is sought right behind them.
    first = r"首先(?=[^。！？\n]{2})|第一(?=步[^。！？\n]{2})|先[^。！？\n](?=[^。！？\n])"
    then = r"(?:然后|接着|之后|随后|再|最后|其次|第二步|下一步)[^。！？，、；,;\n]{2,}"
    past = r"[了过](?:[，。；,;]|$)|先[^，。；,;\s]{1,3}[了过]"
    report = r"已|完成了"

    # rules and lessons
    turns = r"不|别|勿|禁|没|无|必须|总是|只|先|除非|允许"
    joins = r"[，；：]|[。！？]\S|(?<!合)并|然后|同时|接着|但|否则"
    fillers = r"请|的|了|一下"
    forbids = r"不要|不得(?!不)|不许|不准|禁止|勿|(?<![特分区类级识个辨])别(?![名的人处])"
    conjunctions = tuple("，、；或和与及并")
    conditions = r"如果|假如|若|仅|只|除非|除了|当"
    negations = r"不|没|无|非"
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
    trigger_orders = {
        "T3": r"(?:删除?|清除|清理|清掉|抹掉)[^，。；,;\n]{0,8}(?:用户|客户|会员|订单|账户|生产)[^，。；,;\n]{0,3}数据"
    }
    chooses = r"选|还是|哪个|对比|换成|改成|迁到|迁移到|重写"
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
    order_breaks = r"[。！？；]|然后|接着|之后|最后"
    order_parts = r"[，、：]|并且?|再"
    order_tells = r"如何|怎么|什么时候|脚本|文档|函数|功能|按钮|不要|禁止|别"
    order_filler = r"请|现在|帮我|麻烦|立即|马上|先|再"
    final_orders = (
        r"(?:删除?|清除|清空|清理|清掉|抹掉)[^，。；\n]{0,8}(?:用户|客户|会员|订单|账户|生产|线上|所有|全部)[^，。；\n]{0,3}(?:数据|记录)|删库|删表|清空数据库|删除(?:生产|线上)?(?:数据库|仓库|远程分支)"
        r"|强制推送|强推|(?:部署|发布|上线|推送|发版)(?:[^，。；\n脚本文档]{0,12})?(?:到|至)?(?:生产|线上|正式环境)|发布(?:这个|新|此)?(?:包|版本)|格式化(?:硬盘|磁盘|服务器)"
        r"|给(?:所有|全体|全部)?(?:用户|客户)(?:群?发|寄)|(?:支付|转账|退款)(?:\d|给)|[把将][^，。；\n]{1,12}(?:部署|发布|上线)到?(?:生产|线上|正式环境)"
    )
    order_to_run = r"请?(?:运行|执行|跑)\s*(?:一下)?"
    override = r"直接做|不需要讨论"
    speed_level = r"速度级别\s*+(?:[:：]\s*+)?([0-4])(?!\d)"
    speed_filler = r"但是?|只要?|就|仅|[用按请以走]|模式|速度|级别|切到|切换到|来"
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
    on_architecture = (
        r"(?:系统|整体|软件|项目|服务|分层|六边形)(?:的)?架构|架构(?:是|为|采用|分为|由)|设计原则|设计理念"
    )
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
