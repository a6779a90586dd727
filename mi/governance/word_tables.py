"""The words that tell what a task is about, in English and Chinese; one entry a line where people will add to it."""

URGENCY = ("快", "急", "赶", "ASAP", "urgent")
URGENCY_STOPS = (
    *"快速搜索 快速入门 快速开始 快速启动 更快 变快".split(),
    *"快捷 快照 快递 快进 快门 快餐 快排 快速排序 快取 快讯 快乐 愉快 痛快 畅快 凉快 不快 急诊 急救 急性 应急".split(),
    *"救急 急停 缓急 急剧 不急 别急 不着急 不用急 不赶 别赶 不用赶 追赶 赶集 赶上".split(),
    *("not urgent", "non-urgent", "isn't urgent", "nothing urgent"),
)
JUST_CHANGE = ("就改一下", "just change")
FULL_CHALLENGE = (
    "full challenge",
    "challenge me fully",
    "challenge it fully",
    "完整挑战",
    "完整的挑战",
    "完整质疑",
    "全面质疑",
)

TRIGGERS: dict[str, tuple[str, ...]] = {
    "T3": (
        *("money", "payment", "payments", "pay", "invoice", "invoices", "billing", "refund", "refunds", "budget"),
        *("finance", "financial", "bank", "bank account", "credit card", "purchase", "tax", "price", "prices"),
        *("data security", "data breach", "data leak", "personal data", "customer data", "PII", "GDPR", "privacy"),
        *("irreversible", "cannot be undone", "can't be undone", "permanently", "delete all", "drop table"),
        *("drop the table", "drop the database", "delete the database", "delete user data", "delete production"),
        *("drop database", "wipe", "purge", "force push", "force-push", "rm -rf", "truncate table"),
        *("付款", "支付", "金额", "财务", "金融", "退款", "账单", "发票", "预算", "转账", "花钱", "资金", "价格"),
        *("数据安全", "数据泄露", "隐私", "个人信息", "用户数据", "不可逆", "无法撤销", "不可恢复", "永久删除"),
        *("清空", "删库", "删表", "强推", "强制推送"),
    ),
    "T4": (
        *("personnel", "hire", "hiring", "recruit", "recruiting", "recruitment", "headcount", "layoff", "layoffs"),
        *("lay off", "fire him", "fire her", "fire them", "fire someone", "firing people", "dismiss an employee"),
        *("reorganisation", "reorganization", "reorg", "restructure the team", "restructure the company", "salary"),
        *("performance review", "人事", "招聘", "招人", "雇", "解雇", "裁员", "开除", "辞退", "组织架构", "团队重组"),
        *("离职", "晋升", "绩效", "编制", "薪资"),
    ),
    "T5": (
        *("architecture", "architectural", "tech stack", "technology stack", "microservice", "microservices"),
        *("monolith", "database schema", "db schema", "schema change", "schema migration", "table schema"),
        *("alter table", "add a column", "data model", "rewrite in", "which framework", "choose a framework"),
        *(
            "架构",
            "技术栈",
            "技术选型",
            "选型",
            "数据库结构",
            "表结构",
            "数据模型",
            "微服务",
            "单体应用",
            "改表",
            "加字段",
        ),
    ),
    "T9": (
        *("deploy", "deploys", "deployed", "deploying", "deployment", "redeploy", "go live", "ship to production"),
        *("release to production", "release to prod", "push to prod", "push to production", "roll out", "rollout"),
        *("roll back production", "部署", "上线", "发布", "发版", "上生产", "回滚"),
    ),
}
TRIGGER_STOPS: dict[str, tuple[str, ...]] = {
    "T3": ("价格战", "pay attention"),
    "T5": ("组织架构", "架构师"),
    "T9": ("发布会", "线上线下"),
}

FLAGS: dict[str, tuple[str, ...]] = {
    "auth": (
        *("auth", "authentication", "authenticate", "authorization", "authorisation", "authorize", "oauth", "sso"),
        *("saml", "jwt", "2fa", "mfa", "access control", "login", "log-in", "sign-in", "password", "passwords"),
        *("认证", "鉴权", "登录", "授权", "权限", "密码", "单点登录"),
    ),
    "encryption": (
        *("encrypt", "encrypts", "encrypted", "encryption", "decrypt", "decryption", "cryptography", "crypto"),
        *("cipher", "TLS", "SSL", "certificate", "certificates", "private key", "加密", "解密", "证书", "密钥", "私钥"),
    ),
    "migration": (
        *("migrate", "migrates", "migrating", "migration", "migrations", "alter table", "schema change"),
        *("迁移", "表结构", "改表", "搬迁"),
    ),
    "delete_data": (
        *("delete data", "delete the data", "delete user data", "delete users", "delete records", "delete all"),
        *("drop table", "drop the table", "drop database", "truncate table", "purge", "wipe", "erase data"),
        *("删除数据", "删数据", "清空", "删库", "删表", "清除数据", "删除用户", "删除记录"),
    ),
    "new_dependency": (
        *("new dependency", "add a dependency", "add dependency", "new library", "new package", "install the package"),
        *("npm install", "pip install", "add the package", "upgrade the dependency", "upgrade dependencies"),
        *("新依赖", "加依赖", "引入依赖", "引入库", "安装依赖", "新库", "升级依赖"),
    ),
    "external_service": (
        *("third-party", "third party", "external service", "external api", "webhook", "webhooks", "stripe", "twilio"),
        *("payment provider", "slack api", "openai api", "第三方", "外部服务", "外部接口", "外部系统", "接入"),
    ),
    "cross_project": (
        *("cross-project", "across projects", "another project", "other project", "other projects", "other repo"),
        *("other repository", "another repository", "several repositories", "multiple repos", "all repos"),
        *("跨项目", "跨仓库", "其他项目", "另一个项目", "其他仓库", "多个仓库"),
    ),
    "fresh": (
        *("latest version", "newest version", "latest release", "recently released", "current price", "as of today"),
        *(
            "up-to-date documentation",
            "latest news",
            "this week's",
            "最新版",
            "最新的",
            "最近发布",
            "当前价格",
            "最新文档",
        ),
    ),
    "public_api": (
        *("public api", "breaking change", "api contract", "change the endpoint", "rename the endpoint", "rest api"),
        *("exported function", "change the signature", "公开接口", "公共接口", "对外接口", "接口变更", "破坏性变更"),
    ),
    "irreversible": (
        *("irreversible", "cannot be undone", "can't be undone", "permanently", "force push", "force-push", "rm -rf"),
        *("不可逆", "无法撤销", "不可恢复", "永久删除", "强制推送", "强推"),
    ),
    "production": (
        *("production", "prod", "live users", "live site", "live system", "live database", "real users"),
        *("生产环境", "生产库", "生产数据", "线上", "真实用户", "正式环境"),
    ),
}
SENSITIVE = ("auth", "encryption", "migration", "delete_data")
INTEGRATION = ("new_dependency", "external_service", "cross_project")
