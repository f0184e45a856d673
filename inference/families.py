"""Who made a model, as its name tells. Pure.

A judge of the judged model's family may favour its own kin, so such pairs are marked. A family is
a maker. What was distilled or tuned from another maker's model belongs to both. A name nobody
knows is a family of its own, whatever its size. When in doubt two models count as kin: the mark
is a caution to the reader and forbids nothing.
"""

import re

# The names of series. Where one stands in a model's name does not matter, and those of four
# letters and more may be part of a longer word (codellama, medgemma).
SERIES = {
    "aya": "cohere",
    "baichuan": "baichuan",
    "bloomz": "bigscience",
    "chatglm": "zhipu",
    "chatgpt": "openai",
    "claude": "anthropic",
    "codestral": "mistral",
    "davinci": "openai",
    "dbrx": "databricks",
    "deepseek": "deepseek",
    "devstral": "mistral",
    "ernie": "baidu",
    "exaone": "lg",
    "falcon": "tii",
    "gemini": "google",
    "gemma": "google",
    "glm": "zhipu",
    "gpt": "openai",
    "granite": "ibm",
    "grok": "xai",
    "hermes": "nous",
    "hunyuan": "tencent",
    "internlm": "internlm",
    "jamba": "ai21",
    "kimi": "moonshot",
    "llama": "meta",
    "magistral": "mistral",
    "minimax": "minimax",
    "ministral": "mistral",
    "mistral": "mistral",
    "mixtral": "mistral",
    "nemotron": "nvidia",
    "olmo": "allenai",
    "phi": "microsoft",
    "pixtral": "mistral",
    "pythia": "eleutherai",
    "qvq": "qwen",
    "qwen": "qwen",
    "qwq": "qwen",
    "smollm": "huggingface",
    "smolvlm": "huggingface",
    "sonar": "perplexity",
    "stablelm": "stability",
    "voxtral": "mistral",
}
# Words of the language, or too short: series only as the first word of a name.
FIRST = {
    "bloom": "bigscience",
    "command": "cohere",
    "nova": "amazon",
    "o": "openai",  # o1, o3-mini, o4-mini
    "opt": "meta",
    "palm": "google",
    "r": "deepseek",  # r1-distill-…
    "seed": "bytedance",
    "solar": "upstage",
    "step": "stepfun",
    "t": "google",  # t5
    "titan": "amazon",
    "yi": "01-ai",
}
# Names that hold another maker's, read before it.
PHRASES = {
    "cerebras-gpt": ("cerebras",),
    "gpt-neox": ("eleutherai",),
    "gpt-neo": ("eleutherai",),
    "gpt-j": ("eleutherai",),
    "flan-t5": ("google",),
    "tulu": ("allenai", "meta"),
    "vicuna": ("lmsys", "meta"),
    "alpaca": ("stanford", "meta"),
    "zephyr": ("huggingface", "mistral"),
}
# Whoever publishes: asked only where no series is known, for many publish what others made.
MAKERS = {
    "01-ai": "01-ai",
    "ai21": "ai21",
    "alibaba": "qwen",
    "allenai": "allenai",
    "amazon": "amazon",
    "anthropic": "anthropic",
    "cohere": "cohere",
    "coherelabs": "cohere",
    "deepseek-ai": "deepseek",
    "google": "google",
    "huggingfacetb": "huggingface",
    "ibm-granite": "ibm",
    "meta": "meta",
    "meta-llama": "meta",
    "microsoft": "microsoft",
    "mistralai": "mistral",
    "moonshotai": "moonshot",
    "nvidia": "nvidia",
    "openai": "openai",
    "tiiuae": "tii",
    "x-ai": "xai",
    "xai": "xai",
    "z-ai": "zhipu",
    "zai-org": "zhipu",
}
LONG_ENOUGH = 4  # letters of a series' name to be known within a word
# What tells models of one unknown family apart.
VARIANT = re.compile(
    r"v?\d.*|[xi]?q\d.*|fp\d+|bf16|int\d+|gguf|ggml|gptq|awq|exl\d|mlx|"
    r"nano|micro|tiny|mini|small|medium|large|big|huge|xs|xl|xxl|pro|plus|max|ultra|lite|flash|"
    r"turbo|fast|base|instruct|chat|it|sft|dpo|rl|think|thinking|reasoning|preview|latest|exp|"
    r"experimental|beta|alpha|free|vision|coder|code|math"
)
_SPLIT = re.compile(r"[\s_:@,;()+-]+")
_LETTERS = re.compile(r"[^\W\d_]+")


def family(model_name: str) -> frozenset[str]:
    """The families of a model as providers write its name, at least one.

    `openai/gpt-4o-mini`, `us.anthropic.claude-3-haiku-v1:0`, `accounts/x/models/llama-v3p1-70b`,
    `ft:gpt-4o:org::id`, `DeepSeek-R1-Distill-Llama-8B` (of two families).
    """
    *owners, name = _parts(model_name)
    found = _by_phrase(name) | _by_series(_without_phrases(name))
    if not found:
        words = _SPLIT.split(name)
        found = {MAKERS[each] for each in [*owners, words[0]] if each in MAKERS}
    return frozenset(found or {_stem(name)})


def same_family(first: str, second: str) -> bool:
    """Whether two models have a family in common, by their names."""
    return not family(first).isdisjoint(family(second))


def _parts(model_name: str) -> list[str]:
    """Whoever publishes or serves it, outermost first, and the model's own name last."""
    text = model_name.strip().casefold().removesuffix(".gguf")
    if text.startswith("ft:"):
        text = text.split(":")[1]  # ft:BASE:organisation:name:id
    *owners, name = [part for part in text.split("/") if part.strip("@")] or [""]
    while prefix := re.match(r"([a-z]+|ai21)\.(?=[a-z])", name):  # us.anthropic.claude-…
        owners.append(prefix[1])
        name = name[prefix.end() :]
    return [*owners, name]


def _phrases(name: str) -> list[str]:
    return [each for each in PHRASES if re.search(rf"(?<![a-z]){each}(?![a-z])", name)]


def _by_phrase(name: str) -> set[str]:
    return {maker for each in _phrases(name) for maker in PHRASES[each]}


def _without_phrases(name: str) -> str:
    for each in _phrases(name):
        name = name.replace(each, "-")
    return name


def _by_series(name: str) -> set[str]:
    words = [match[0] for word in _SPLIT.split(name) if (match := _LETTERS.match(word))]
    makers = {SERIES[word] for word in words if word in SERIES}
    for word in words:
        inside = (each for each in SERIES if len(each) >= LONG_ENOUGH and each in word)
        makers |= {SERIES[each] for each in inside if word != "ollama"}
    first = words[0] if words else ""
    if first in FIRST and (len(first) > 1 or re.match(r"[ort]\d", name)):
        makers.add(FIRST[first])
    return makers


def _stem(name: str) -> str:
    """The name up to its size, version and kind: `frobnik` of `Frobnik-2.5-7B-Instruct`."""
    first, *others = [word for word in _SPLIT.split(name) if word] or [name]
    kept = [re.sub(r"(?<=[^\W\d_]{2})v?\d.*", "", first)]
    for word in others:
        if VARIANT.fullmatch(word):
            break
        kept.append(word)
    return "-".join(kept)
