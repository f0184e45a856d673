"""The OpenAPI description of the API: what the code says, plus scopes, filters and errors."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter

ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "data"],
            "properties": {
                "code": {"type": "string", "description": "Dotted and stable, for programs."},
                "message": {"type": "string", "description": "What to do, for people."},
                "data": {"type": "object", "additionalProperties": {}},
            },
        }
    },
}
KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="The same key with the same body gets the same answer for a day.",
)


class Schema(AutoSchema):
    def get_override_parameters(self) -> list[Any]:
        filters = getattr(self.view, "filters", None)
        if self.method == "POST":
            return [KEY]
        return [filters] if filters else []

    def get_operation_id(self) -> str:
        return f"{self.method.lower()}{type(self.view).__name__}"

    def get_description(self) -> str:
        return " ".join(super().get_description().split())


class TokenScheme(OpenApiAuthenticationExtension):
    target_class = "accounts.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Schema) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "An API token with scopes."}

    def get_security_requirement(self, auto_schema: Schema) -> dict[str, list[str]]:
        scope = auto_schema.view.scopes.get(auto_schema.method)
        return {self.name: [scope.value] if scope else []}


def describe_errors(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Every operation may answer with the one shape of errors."""
    components = result.setdefault("components", {})
    components.setdefault("schemas", {})["Error"] = ERROR
    components["responses"] = {
        "Error": {
            "description": "Refused or failed.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
        }
    }
    for operations in result["paths"].values():
        for operation in operations.values():
            operation["responses"]["default"] = {"$ref": "#/components/responses/Error"}
    return result
