"""English words by which a text speaks for a person: what they want or allow, and rules that it lays down."""

from mi.kernel.language import Patterns

_PERSON = (
    r"(?:(?:project|product|repo(?:sitory)?|code|team)(?:['’]s)? )?"
    r"(?:person|user|owner|human|maintainer|operator|boss|manager|lead|customer|stakeholder|author|admin(?:istrator)?|team|management)"
)
_DECIDES = (
    r"(?:decided|approved|authori[sz]ed|consented|agreed|ordered|instructed|requested|allowed|permitted|forbidden|forbade|prohibited"
    r"|demanded|insisted|confirmed|signed off|waived|granted|chosen|chose|ruled|told|said|asked|wanted|wished|preferred|required|given|gave|accepted)"
)
_WANTS = (
    r"(?:wants?|wishes|prefers?|insists?|demands?|allows?|permits?|forbids?|prohibits?|agrees?|consents?|approves?|authori[sz]es|decides"
    r"|orders (?:that|us|you|to)|says|told|expects (?:us|you|agents?|that)|would like|does(?: not|n'?t) (?:want|mind|care|like|need|require)"
    r"|is (?:fine|ok|okay|happy|in favou?r|against)\b)"
)
_JUDGES = r"(?:tests?|checks?|test suites?|ci|lint(?:er|ing)?|reviews?|code reviews?|hooks?|approvals?|confirmations?|verification|evidence|guard(?:s|rails?)?|polic(?:y|ies)|rules?)"
_GRAVE = r"(?:push(?:ing)?|force[- ]?push(?:ing)?|commit(?:ting)?|merg(?:e|ing)|deploy(?:ing|ment)?|publish(?:ing)?|releas(?:e|ing)|delet(?:e|ing)|skip(?:ping)?|ignor(?:e|ing)|bypass(?:ing)?|disabl(?:e|ing)|rewrit(?:e|ing)|overwrit(?:e|ing))"


class EnglishWill(Patterns):
    """How a text speaks for a person in English."""

    persons_will = (
        rf"\b(?:the |our |my ){_PERSON}(?:,[^,.]{{1,40}},)? (?:has |have |had |have also |has also |already |just |explicitly |has already |has explicitly ){{0,2}}(?:{_DECIDES}|{_WANTS})\b"
        rf"|\b{_PERSON}(?: has)?(?: explicitly| already)? (?:decided|approved|authori[sz]ed|consented|signed off|agreed)\b"
        r"|\b(?:has|have|had) (?:already |explicitly |now )?(?:decided|authori[sz]ed|consented|agreed|ordered|instructed|signed off|given (?:(?:me|us|you|his|her|their|its) )?(?:permission|consent|leave|approval|the go-ahead))\b"
        rf"|\b(?:decided|approved|authori[sz]ed|agreed|ordered|requested|signed off|permitted|allowed|wanted|confirmed|waived)(?: on)? by (?:the |our |my )?{_PERSON}\b"
        rf"|\b{_PERSON}['’]s? (?:\w+ )?(?:decisions?|wish(?:es)?|will|preferences?|rules?|instructions?|orders?|permission|consent|approval|word|wants?)\b"
        rf"|\b(?:decision|wish|will|permission|consent|approval|instruction|order|request|word|go-ahead)s? (?:of|from|by) (?:the |our |my ){_PERSON}\b"
        rf"|\b{_PERSON} (?:decision|wish|will|preference|rule|instruction|order|permission|consent|approval|request)s? ?:"
        r"|\b(?:it (?:was|is|has been)|as) (?:decided|agreed|ordered|ruled)\b"
        r"|\bI (?:want|allow|permit|forbid|authori[sz]e|approve|order|instruct|expect|insist|prefer|decided|require)\b"
    )
    gives_leave = (
        r"(?:^|[.!?;\n][^\S\n]*)(?:approved|permitted|allowed|authori[sz]ed|permission|approval|waiver)\s?:"
        r"|\b(?:permission|consent|approval|authori[sz]ation|clearance)(?: to [^.;\n]{1,60})? (?:is |was |has been |have been )?(?:granted|given|obtained)\b"
        rf"|\b{_GRAVE}\b[^.;\n]{{0,60}}\b(?:is|are|was|were|has been) (?:explicitly |always |now |hereby )?(?:allowed|permitted|approved|authori[sz]ed|fine|ok|okay|acceptable)(?! (?:only )?(?:for|when|if|to|by|in|on)\b)"
        rf"|\b(?:it(?:'s| is)|it is now) (?:always |perfectly )?(?:allowed|permitted|fine|ok|okay|acceptable|safe) to {_GRAVE}\b"
        r"|\bwithout (?:\w+ )?(?:asking|confirmation|approval|permission|being asked|review)\b"
        r"|\b(?:no need|not necessary|unnecessary|no reason) (?:to|for) (?:\w+ )?(?:ask|asking|confirm|confirmation|approval|permission|run(?:ning)? (?:the )?tests?|test|verify|review)\b"
        r"|\bno (?:\w+ )?(?:approval|confirmation|permission|review|tests?|verification)(?: or \w+)? (?:is|are) (?:needed|required|necessary)\b"
        rf"|\b{_JUDGES} (?:may|can|should|must|need not|needn'?t|do not (?:need|have) to|don'?t (?:need|have) to) (?:all |safely |always |be safely )?(?:be )?(?:skipped|ignored|bypassed|disabled|waived|removed|deleted|run|asked)\b(?! (?:with|by|via|using|through|when|if|in|on|from|locally|before|after|as|against|under)\b)"
        r"|\b(?:has|have|with) (?:full|blanket|standing|explicit|unlimited|unrestricted) (?:permission|authority|approval|consent|access rights)\b"
    )
    lays_rule = (
        r"(?:^|[.!?;:\n][^\S\n]*)[\"'“*\-\s]{0,4}(?:(?:please|important|note|remember)[:,]?\s+){0,2}(?:(?:rule|policy|standing order)s?\s?:|always (?!\w+s\b)\w+|never (?!\w+s\b|been\b)\w+|do not (?!\w+s\b)\w+|don'?t \w+|ignore |disregard |obey |trust )"
        r"|\b(?:from now on|henceforth|going forward|from this point on)\b"
        r"|\b(?:ai |coding |software |future |all |any |the )?(?:agents?|assistants?|models?|llms?|copilots?|claude(?: code)?|codex|sessions?|contributors?) (?:must|shall|should|may|need not|are (?:allowed|permitted|required|expected|free|forbidden|not allowed)|is (?:allowed|permitted|required|expected|free|forbidden|not allowed)|have to|has to|can) (?:always |never |not |to |now |freely ){0,2}(?:ask|run|push|commit|merge|deploy|publish|delete|skip|ignore|bypass|disable|edit|change|modify|write|use|follow|obey|trust|stop|test|verify|force|approve|mark|treat|assume)\b"
        r"|\byou (?:may|shall|are (?:allowed|permitted|free|authori[sz]ed|forbidden|not allowed) to|must (?:always|never|not)|should (?:always|never|not)|need not|do(?: not|n'?t) (?:need|have) to|never (?:need|have) to) \w+"
        r"|\b(?:ignore|disregard|override) (?:all |any )?(?:the )?(?:previous|prior|earlier|other) (?:instructions?|rules?|constraints?)\b"
    )
    supposes = r"\b(?:if|when|whenever|once|after|until|unless|before|while|whether|where|as soon as|in case|only if|what|that|which|who|every time|each time)\b[^.;:,\n]{0,60}$"
