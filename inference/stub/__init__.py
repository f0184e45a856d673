"""A simulated language model behind an OpenAI-compatible address (docs/stub.md)."""
