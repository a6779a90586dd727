"""What a person answers: yes, no, how far and how much, in Chinese."""

from mi.kernel.language import Patterns


class ChineseAnswers(Patterns):
    """Consent and amounts."""

    # consent
    yes = tuple("是 是的 对的 好 好的 可以 同意 行 对 确认 批准 没问题 通过".split())
    no = tuple("不 不要 否 不用 不行 不可以 别 取消 不同意 不好".split())
    no_yes = tuple("好像 是否 行不 对不 可以吗".split())
    refusal = r"(?:请|先|暂时?|还是|那就?|最好|千万|我){0,6}(?:不|别|停|否|取消|拒绝|驳回|算了|等|禁止|没必要)"
    no_refusal = r"不(?:用|必|要)(?:再?问|等|停|担心)|不(?:错|反对|介意)|别(?:再?问|等|停|担心)"
    yes_to_tasks = ("加",)
    yes_to_lesson = ("要", "嗯")
    go_on = ("继续",)
    weak_yes = tuple("好 好的 是 是的 对的 行 对 没问题 继续".split())
    go_ahead = tuple("继续 可以 去吧 做吧 执行吧 允许 放行 批准 照做 行吧 没问题".split())
    adds_tasks = tuple("加上 加进去 加进列表 加到列表 加入列表 把它加 把这些加 添加进去 列进去".split())
    for_session = tuple("本次会话 这次会话 本会话 这个会话 整个会话".split())
    for_good = tuple("总是 一直 永远 以后都 每次 从现在起".split())
    but = r"但|不过|除非|除了|如果|要是|不|别|先|等|换|只能|只要|之前|之后"

    # how much
    numbers = {"0.5": "半", "2": "两|俩"}
    scales = {"100": "百", "1000": "千", "10000": "万", "1000000": "百万"}
    and_a_half = "半"
    before_unit = "个|多"
    units = {
        "batches": "批次|批|轮",
        "seconds": "秒钟?",
        "minutes": "分钟|分",
        "hours": "小时|钟头",
        "tokens": "令牌|词元",
        "usd": "美元|美金|刀",
    }
    beside_number = "好的|好|可以|行|请|再|来|给|加|增加|提高|提升|上限|限制|多|到|总共|一共|共|最多|吧|它|把|个"
    in_total = "到|总共|一共|共|最多|至多|设为|改成"
    as_much_again = "翻倍|翻一番|加倍|同样多|一样多|再来一次|再来一轮"
    unlimited = "不限|无限|不设上限|取消限制|没有限制|去掉限制|取消上限"
