from django.urls import path

from accounts import views

app_name = "accounts"
urlpatterns = [
    path("sign-in/", views.SignIn.as_view(), name="sign_in"),
    path("sign-out/", views.SignOut.as_view(), name="sign_out"),
    path("password/", views.PasswordChange.as_view(), name="password_change"),
    path("tokens/", views.api_tokens, name="tokens"),
    path("tokens/<int:api_token>/revoke/", views.token_revoke, name="token_revoke"),
    path("welcome/<uidb64>/<token>/", views.Welcome.as_view(), name="welcome"),
]
