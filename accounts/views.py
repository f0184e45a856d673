"""Sign-in, sign-out, changing a password, and the one-time link of a new account."""

from django.contrib import messages
from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.http import HttpResponse
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import changed_password


@method_decorator(login_not_required, name="dispatch")
class SignIn(auth.LoginView):
    template_name = "accounts/sign_in.html"
    redirect_authenticated_user = True


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
