"""The simulated members of the demonstration's team."""

from accounts.models import User
from accounts.services import create_account
from console.demo import ACTOR
from studies.models import Study
from studies.permissions import Role
from studies.services import invite


def member(study: Study, name: str, role: Role) -> User:
    """With an account that nobody can sign in to."""
    email = f"simulated-{name}@example.org"
    user = User.objects.filter(email=email).first()
    user = user or create_account(email, superuser=False, actor=ACTOR)
    invite(study, email, role, ACTOR)
    return user
