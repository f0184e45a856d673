"""Sign-in, sign-out, changing a password, the one-time link of a new account, and API tokens."""

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import (
    AuthenticationForm,
    PasswordChangeForm,
    SetPasswordForm,
)
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts import keeping, reach, selectors, services
from accounts.forms import TokenForm
from accounts.models import User
from accounts.services import changed_password


@method_decorator(login_not_required, name="dispatch")
class SignIn(auth.LoginView):
    template_name = "accounts/sign_in.html"
    redirect_authenticated_user = True

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        return super().get_context_data(**more) | {"sent": keeping.carried(self.request.POST)}

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        sent = keeping.carried(self.request.POST)
        if not sent:
            return response
        context = {"sent": sent, "address": response["Location"]}
        return render(self.request, "accounts/go_on.html", context)


class SignOut(auth.LogoutView):
    http_method_names = ("post", "options")


class PasswordChange(auth.PasswordChangeView):
    template_name = "accounts/password_change.html"
    success_url = reverse_lazy("console:home")

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        response = super().form_valid(form)
        changed_password(form.user)
        messages.success(self.request, _("Your password is changed."))
        return response


@method_decorator(login_not_required, name="dispatch")
class Welcome(auth.PasswordResetConfirmView):
    """Sets the first password; Django's token makes the link good for one use."""

    template_name = "accounts/welcome.html"
    success_url = reverse_lazy("console:home")
    post_reset_login = True
    post_reset_login_backend = "django.contrib.auth.backends.ModelBackend"

    def form_valid(self, form: "SetPasswordForm[User]") -> HttpResponse:
        response = super().form_valid(form)
        changed_password(form.user)
        return response


@never_cache  # the answer to a POST is the one page that shows a secret
@require_http_methods(["GET", "HEAD", "POST"])
def api_tokens(request: HttpRequest) -> HttpResponse:
    user = cast(User, request.user)
    studies = reach.studies(user)
    form = TokenForm(request.POST if request.method == "POST" else None, studies=studies)
    context = {}
    if form.is_valid():
        token, secret = services.create_token(user, actor=user.email, **form.cleaned_data)
        context = {"made": token, "secret": secret}
        form = TokenForm(studies=studies)
    context |= {"form": form, "tokens": selectors.token_lines(user)}
    status = 422 if form.errors else 200
    return render(request, "accounts/tokens.html", context, status=status)


@require_POST
def token_revoke(request: HttpRequest, api_token: int) -> HttpResponse:
    user = cast(User, request.user)
    token = selectors.access_token(user, api_token)
    services.revoke_token(token, user.email)
    messages.success(request, _("The token %s no longer works.") % token.name)
    return redirect("accounts:tokens")
