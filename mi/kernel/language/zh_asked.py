"""Words by which a question is known again, in Chinese."""

from mi.kernel.language import Patterns


class ChineseAsked(Patterns):
    """How questions about the same matter are told in Chinese."""

    same_words = {
        "test": r"单元测试|回归测试|测试用例|测试|单测|用例",
        "framework": r"框架|第三方库|依赖包|依赖|类库|工具包|库",
        "type hint": r"类型提示|类型注解|类型标注|类型声明",
        "docstring": r"文档字符串|函数说明",
        "documentation": r"使用说明|说明文档|文档|手册",
        "changelog": r"更新日志|变更日志|变更记录|发布说明|更新记录",
        "comment": r"代码注释|注释",
        "error": r"错误|异常|报错",
        "raise": r"抛出|抛",
        "none": r"空值|空",
        "invalid input": r"无效输入|非法输入|错误输入|无效的输入|非法的输入|坏数据",
        "log": r"日志",
        "config": r"配置文件|配置|设置",
        "folder": r"文件夹|目录|位置|哪里|哪儿",
        "function": r"函数|方法",
        "name": r"命名|名称|名字|叫什么",
        "indent": r"缩进",
        "quote": r"引号",
        "line length": r"行宽|行长|每行",
        "format": r"格式化|格式|风格",
        "compatible": r"向后兼容|兼容|旧接口|旧名字|别名",
        "database": r"数据库",
        "migration": r"迁移",
        "mock": r"模拟|打桩|桩",
        "async": r"异步",
        "date": r"日期|时间戳|时间",
        "time zone": r"时区",
        "money": r"金额|货币|价格",
        "commit": r"提交信息|提交说明|提交",
        "generated": r"生成的文件|生成文件|构建产物|自动生成",
        "cli": r"命令行",
        "http": r"网络请求|下载",
        "file": r"文件",
        "earlier": r"之前|以前",
        "later": r"之后|以后",
        "old": r"旧的|原有的|现有的|原来的",
        "cache": r"缓存",
        "retry": r"重试",
        "ordering": r"排序",
        "round": r"四舍五入|取整|舍入",
        "print": r"打印",
        "class": r"类",
        "dict": r"字典",
        "version": r"版本号|版本",
        "license": r"许可证|版权声明",
    }
    deeds = {
        "add": r"加上|添加|增加|加|写上|编写|写|补上|补充|补|更新|新增|创建|带上|记录|附上",
        "take out": r"删掉|删除|去掉|移除|清掉",
        "leave out": r"跳过|省略|略过|不写|忽略",
        "keep": r"保留|留着|维持|保持",
        "rename": r"改名|重命名",
        "move": r"放到|放在|放进|放|移到|挪到|存到|存在",
        "fix": r"修复|修正|改正",
        "rewrite": r"重写|重构|整理|简化",
        "commit": r"提交",
    }
    asking_words = tuple(
        "要不要 需不需要 该不该 能不能 可不可以 要不 不要 是否 需要 需不 不需 要我 我要 应该 该不 不该 可以 可不 不可 能不 不能 请问 还是 或者 哪个 哪种 什么 怎么 如何 吗 呢 我 你 您 希望 "
        "想要 想用 使用 采用 用哪 用什 这个 那个 一下 现在 这里 新的 一个 的 了 是 要 用 吧 呀 比较 更好 一并 顺便 也 都 为 给 在 和 与 选择 选 决定 个 新 对 把 来".split()
    )
    is_wanted = r"要不要|需不需要|是否|要.{0,12}吗|需要.{0,12}吗|该不该|应该"
    permission = r"允许|批准|授权|许可|同意|我可以|可以我|可不可以|能不能|能否|可否|我能|准许|确认"
    budget = r"预算|花费|费用|付费|配额|额度|更多时间|更多批次|花钱|上限"
    risky = r"生产环境|线上|正式环境|密码|密钥|凭据|客户数据|强制推送|回滚|发邮件|发送邮件|管理员权限|上传|发送到|改写历史|变基|清空|丢弃|绕过|(?:跳过|禁用|忽略|关闭|注释掉).{0,12}(?:测试|检查|钩子|校验|验证|断言|警告|错误|认证)"
    only_once = r"仅此一次|只这一次|就这一次|这一次|只此一次|这次(?!开始)|暂时|先这样|本次|下不为例|^\W*(?:不知道|不清楚|不确定|随便|你定|你决定|都行|都可以|再说|以后再)"
    topics = {
        "dependencies": r"依赖|第三方|安装|标准库|类库",
        "tests": r"测试|单测|用例|覆盖率|打桩",
        "size": r"重构|重写|整理|顺手|顺便改|最小改动",
        "interface": r"接口|签名|兼容|调用方|改名|重命名|弃用|参数|返回值|异常",
        "versions": r"版本",
        "performance": r"性能|速度|缓存|内存|优化|异步|并行",
        "security": r"安全|密码|密钥|加密|校验|转义|证书|权限",
        "style": r"风格|格式|缩进|制表符|空格|引号|命名|行宽|类型(?:提示|注解|标注)",
        "documentation": r"文档|注释|说明|更新日志|变更日志",
        "data": r"数据|表|字段|备份|迁移|覆盖|删除|时区",
    }
