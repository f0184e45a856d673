"""Why somebody without a partner is asked what they would like to do next, by code."""

from core.catalogue import gettext_noop as _

WHY_CHOOSING = {
    "": _("The game could not go on."),
    "waited_out": _("Nobody of your region came in time."),
    "silent": _("We did not hear from you for a while, so your partner could not wait any longer."),
    "idle": _("You were away for a while, so your partner could not wait any longer."),
    "was_not_ready": _("The game could not begin, as we did not hear that you were ready."),
    "not_ready": _("Your partner did not come, so the game could not begin."),
    "left_before": _("Your partner did not come, so the game could not begin."),
    "both_left": _("The connection was lost, so the game could not go on."),
    "partner_left": _("Your partner has left the game. You did nothing wrong."),
}
