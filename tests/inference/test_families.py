"""Who made a model, as its name tells."""

import pytest

from core.errors import CommonplaceError
from inference.endpoints import configured, model_family, resolve_model
from inference.families import family, same_family

NAMES = {
    "openai/gpt-4o-mini": "openai",
    "gpt-3.5-turbo-0125": "openai",
    "GPT4": "openai",
    "chatgpt-4o-latest": "openai",
    "o1": "openai",
    "o3-mini": "openai",
    "openai/o4-mini-high": "openai",
    "openai/whatever-comes-next": "openai",
    "openai/gpt-oss-120b": "openai",
    "text-davinci-003": "openai",
    "azure/my-gpt4-deployment": "openai",
    "ft:gpt-4o-mini-2024-07-18:llama-lovers::9abc": "openai",
    "claude-3-5-sonnet": "anthropic",
    "anthropic/claude-3.5-sonnet:beta": "anthropic",
    "anthropic.claude-3-haiku-20240307-v1:0": "anthropic",
    "us.anthropic.claude-3-7-sonnet-20250219-v1:0": "anthropic",
    "vertex_ai/claude-3-5-sonnet@20240620": "anthropic",
    "databricks-claude-sonnet-4": "anthropic",
    "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-3-haiku": "anthropic",
    "meta-llama/Llama-3.1-8B-Instruct": "meta",
    "Meta-Llama-3-70B": "meta",
    "accounts/fireworks/models/llama-v3p1-70b-instruct": "meta",
    "meta.llama3-8b-instruct-v1:0": "meta",
    "llama3:8b-instruct-q4_K_M": "meta",
    "ollama/llama3.2": "meta",
    "groq/llama3-70b-8192": "meta",
    "Llama3.Q8_0.gguf": "meta",
    "@cf/meta/llama-3.1-8b-instruct": "meta",
    "TheBloke/CodeLlama-7B-GPTQ": "meta",
    "databricks-meta-llama-3-1-70b-instruct": "meta",
    "hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M": "meta",
    "mistralai/Mixtral-8x7B": "mistral",
    "open-mistral-7b": "mistral",
    "ft:open-mistral-7b:org:20240430:abc": "mistral",
    "mistral.mistral-large-2402-v1:0": "mistral",
    "ministral-8b-latest": "mistral",
    "codestral-2405": "mistral",
    "Qwen/Qwen2.5-7B": "qwen",
    "Qwen/Qwen2-7B-Instruct-AWQ": "qwen",
    "qwen-max": "qwen",
    "QwQ-32B": "qwen",
    "codeqwen:7b": "qwen",
    "unsloth/Qwen2.5-0.5B-Instruct-bnb-4bit": "qwen",
    "gemini-1.5-pro": "google",
    "models/gemini-2.0-flash": "google",
    "google/gemma-2-9b": "google",
    "google/flan-t5-xl": "google",
    "t5-large": "google",
    "medgemma-4b-it": "google",
    "deepseek-chat": "deepseek",
    "deepseek-ai/DeepSeek-V3": "deepseek",
    "deepseek-r1:14b": "deepseek",
    "grok-2": "xai",
    "x-ai/grok-beta": "xai",
    "command-r-plus": "cohere",
    "cohere.command-r-v1:0": "cohere",
    "CohereForAI/aya-23-8B": "cohere",
    "phi-4": "microsoft",
    "microsoft/Phi-3-mini-4k-instruct": "microsoft",
    "SmolLM2-135M-Instruct": "huggingface",
    "HuggingFaceTB/SmolLM-360M": "huggingface",
    "us.amazon.nova-pro-v1:0": "amazon",
    "EleutherAI/gpt-neox-20b": "eleutherai",
    "EleutherAI/gpt-j-6b": "eleutherai",
    "z-ai/glm-4.5": "zhipu",
    "moonshotai/Kimi-K2-Instruct": "moonshot",
    "allenai/OLMo-2-1124-7B": "allenai",
    "01-ai/Yi-1.5-34B-Chat": "01-ai",
}
OF_SEVERAL = {
    "DeepSeek-R1-Distill-Llama-8B": {"deepseek", "meta"},
    "deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B": {"deepseek", "qwen"},
    "r1-distill-llama-70b": {"deepseek", "meta"},
    "nvidia/Llama-3.1-Nemotron-70B-Instruct": {"nvidia", "meta"},
    "NousResearch/Nous-Hermes-2-Mixtral-8x7B-DPO": {"nous", "mistral"},
    "lmsys/vicuna-13b-v1.5": {"lmsys", "meta"},
    "HuggingFaceH4/zephyr-7b-beta": {"huggingface", "mistral"},
    "llama-3.1-sonar-small-128k-online": {"perplexity", "meta"},
}


@pytest.mark.parametrize(("name", "maker"), NAMES.items())
def test_a_name_tells_its_maker(name, maker):
    assert family(name) == {maker}


@pytest.mark.parametrize(("name", "makers"), OF_SEVERAL.items())
def test_what_was_made_from_anothers_model_belongs_to_both(name, makers):
    assert family(name) == makers


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("frobnik-7b", "frobnik"),
        ("acme/Frobnik-2.5-70B-Instruct", "frobnik"),
        ("frobnik2-mini", "frobnik"),
        ("somehost/frobnik-v3-chat-q4_k_m", "frobnik"),
        ("frobnik_large", "frobnik"),
        ("frobnik-fp8:free", "frobnik"),
        ("blue-frobnik-13b", "blue-frobnik"),
        ("small", "small"),
        ("large", "large"),
        ("judge-a", "judge-a"),
        ("judge-b", "judge-b"),
        ("বাংলা-৭বি", "বাংলা"),
        ("7b", "7b"),
        ("", ""),
        ("/", ""),
    ],
)
def test_an_unknown_name_is_a_family_of_its_own_whatever_its_size(name, stem):
    assert family(name) == {stem}


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("openai/gpt-4o", "o3-mini", True),
        ("gpt-4o", "claude-3-5-sonnet", False),
        ("DeepSeek-R1-Distill-Llama-8B", "meta-llama/Llama-3.1-70B", True),
        ("DeepSeek-R1-Distill-Llama-8B", "deepseek-chat", True),
        ("DeepSeek-R1-Distill-Llama-8B", "DeepSeek-R1-Distill-Qwen-7B", True),
        ("DeepSeek-R1-Distill-Llama-8B", "Qwen/Qwen2.5-7B", False),
        ("gemini-1.5-pro", "google/gemma-2-9b", True),
        ("frobnik-7b", "acme/frobnik-70b-chat", True),
        ("frobnik-7b", "zorg-7b", False),
        ("gpt-j-6b", "gpt-4o", False),
        ("commander-7b", "command-r", False),
        ("ollama/phi3", "llama3", False),
        ("philosopher-7b", "phi-4", False),
        ("small", "large", False),
    ],
)
def test_two_models_are_kin_when_they_share_a_maker(first, second, same):
    assert same_family(first, second) is same
    assert same_family(second, first) is same


def test_an_entry_may_say_whose_a_model_is(db, settings):
    entry = {"base_url": "http://127.0.0.1:8123/v1", "families": {"house-judge": " OpenAI "}}
    settings.ENDPOINTS = {"stub": entry}
    assert model_family(resolve_model("stub/house-judge")) == {"openai"}
    assert model_family(resolve_model("stub/claude-3-haiku")) == {"anthropic"}
    model = resolve_model("stub/house-judge")
    settings.ENDPOINTS = {"other": entry}
    assert model_family(model) == {"house-judge"}


@pytest.mark.parametrize("families", ["openai", ["a"], {"a": ""}, {"a": None}, {"a": 1}], ids=str)
def test_families_that_say_nothing_are_refused(families, settings):
    settings.ENDPOINTS = {"stub": {"base_url": "http://h/v1", "families": families}}
    with pytest.raises(CommonplaceError) as caught:
        configured()
    assert (caught.value.code, caught.value.data["key"]) == ("endpoint.invalid", "families")
