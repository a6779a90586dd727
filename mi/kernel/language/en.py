"""English."""

from mi.kernel.language import listed
from mi.kernel.language.en_agents import EnglishAgents
from mi.kernel.language.en_answers import EnglishAnswers
from mi.kernel.language.en_asked import EnglishAsked
from mi.kernel.language.en_rules import EnglishRules
from mi.kernel.language.en_secrets import EnglishSecrets
from mi.kernel.language.en_tasks import EnglishTasks
from mi.kernel.language.en_will import EnglishWill


class English(EnglishAgents, EnglishAsked, EnglishAnswers, EnglishTasks, EnglishRules, EnglishWill, EnglishSecrets):
    """What MI knows of English."""

    sentence_break = r"(?<=[.!?])(?=\s)"
    abbreviation = (
        r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|Mr|Mrs|Ms|Dr)|(?<!\b[A-Za-z]\.)(?:\b[A-Za-z]\.)+[A-Za-z])\.$"
    )
    full_stops = (".", "!")
    question_marks = ("?",)
    commas = (",",)
    semicolons = (";",)
    colons = (":",)
    opening_brackets = ("(",)
    closing_brackets = (")",)
    closing_quotes = ("”", "’")
    months = tuple("january february march april may june july august september october november december".split())
    irregular_forms = listed(
        """become became, begin began begun, break broke broken, bring brought, build built, buy bought, catch caught,
        choose chose chosen, come came, deal dealt, draw drew drawn, drive drove driven, eat ate eaten, fall fell fallen,
        feel felt, fight fought, find found, fly flew flown, forget forgot forgotten, freeze froze frozen, get got gotten,
        give gave given, go went gone, grow grew grown, hang hung, hear heard, hide hid hidden, hold held, keep kept,
        know knew known, lead led, learn learnt, leave left, lend lent, light lit, lose lost, make made, mean meant,
        meet met, pay paid, ride rode ridden, ring rang rung, rise rose risen, run ran, say said, see saw seen,
        seek sought, sell sold, send sent, shake shook shaken, shoot shot, show shown, sing sang sung, sink sank sunk,
        sit sat, sleep slept, speak spoke spoken, spend spent, stand stood, steal stole stolen, stick stuck,
        strike struck, swim swam swum, take took taken, teach taught, tear tore torn, tell told, think thought,
        throw threw thrown, understand understood, wake woke woken, wear wore worn, win won, write wrote written,
        child children, man men, woman women, person people, foot feet, tooth teeth, mouse mice, wife wives,
        index indices, good better best, bad worse worst, mother mom mum, father dad"""
    )
    suffix = r"(?:ing|ed|es|s|ly)$"
    stop_words = tuple(
        """a about am an and any are as at be been but by can could did do does for from had has have he her hers
        him his how i if in into is it its me my not of on or our she should so some than that the their them then there
        these they this to us was we were what when where which who whom whose why will with would you your""".split()
    )
    empty_words = tuple(
        """after all also ask before being done doing each either else every first get give go having just keep
        let like make may might more most must need never no now off once one only other out over own please prefer
        rather run say same see shall such tell those too under until up use used using very want way well whether
        while without yes always""".split()
    )


PATTERNS = English()
