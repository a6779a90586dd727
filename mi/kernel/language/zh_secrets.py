"""Chinese words by which a secret is known: apart, since whatever is stored or shown is looked through for them."""

from mi.kernel.language import Patterns


class ChineseSecrets(Patterns):
    """How Chinese names secrets and says that one is given."""

    secret_names = ("密码", "密钥", "口令", "令牌")
    secret_is = r"[ \t]?[已设置改重]{0,4}[是为成][ \t:：]{0,3}"
    secret_given = r"(?:用|使用|输入|以)[\u4e00-\u9fff]{0,6}$"
    secret_is_words = ("是", "为", "成")


PATTERNS = ChineseSecrets()
