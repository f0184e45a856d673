"""What people fill in about topics, and about the forms that are made of questions."""

from typing import Any

from django import forms

from collection import questionnaire
from collection.documents import PLACEHOLDER, refuse_prefix
from collection.questionnaire import PlanFacts, TopicFacts
from core.errors import CommonplaceError
from studies import languages
from studies.form_parts import RuledField, TextsForm
from studies.forms import SLUG_HELP
from studies.models import Study


def topic_label(study: Study, topic: Any) -> str:
    return languages.choose(topic.names, study.languages)[1] or topic.code


class TopicForm(TextsForm):
    def __init__(self, data: Any = None, *, study: Study, facts: TopicFacts | None = None) -> None:
        super().__init__(data, tongues=study.languages)
        self.study, self.old = study, facts
        if facts is None:
            self.fields["code"] = RuledField(
                questionnaire.key, label="Short name", help_text=SLUG_HELP
            )
        self.add_texts("names", "Name", facts.names if facts else {})
        self.add_texts(
            "about",
            "Definition",
            facts.about if facts else {},
            help_text="What belongs to it, in a line or two; participants do not see it.",
            required=False,
            rows=2,
        )
        above = study.topics.exclude(code=facts.code) if facts else study.topics.all()
        self.fields["parent"] = forms.ChoiceField(
            label="Topic above it",
            required=False,
            choices=[("", "None"), *((each.code, topic_label(study, each)) for each in above)],
            initial=facts.parent if facts else "",
        )
        self.fields["position"] = forms.IntegerField(
            label="Place in the order",
            min_value=1,
            max_value=10_000,
            initial=facts.position if facts else study.topics.count() + 1,
        )

    def facts(self) -> TopicFacts:
        old = self.old
        return TopicFacts(
            code=old.code if old else self.cleaned_data["code"],
            names=(old.names if old else {}) | self.texts("names"),
            about=self.texts("about"),
            position=self.cleaned_data["position"],
            parent=self.cleaned_data["parent"] or None,
        )


class PlanForm(TextsForm):
    def __init__(self, data: Any = None, *, study: Study, facts: PlanFacts) -> None:
        super().__init__(data, tongues=study.languages)
        self.add_texts(
            "prefix",
            "Words in front of every question",
            facts.prefix,
            help_text=f"“In your region, {PLACEHOLDER}”; left empty, there are none.",
            required=False,
        )
        self.fields["per_form"] = forms.IntegerField(
            label="Questions of a form",
            min_value=1,
            max_value=questionnaire.PER_FORM,
            initial=facts.per_form,
            help_text="Attention checks come on top.",
        )
        self.fields["topics"] = forms.MultipleChoiceField(
            label="Topics asked about",
            required=False,
            choices=[(each.code, topic_label(study, each)) for each in study.topics.all()],
            initial=facts.topics,
            help_text="With all topics below them; none chosen, everything is asked.",
        )

    def clean(self) -> None:
        for tongue in self.tongues:
            text = self.cleaned_data.get(f"prefix-{tongue}")
            try:
                refuse_prefix({tongue: text} if text else {})
            except CommonplaceError as error:
                self.add_error(f"prefix-{tongue}", error.message)

    def facts(self) -> PlanFacts:
        given = self.cleaned_data
        return PlanFacts(
            prefix=self.texts("prefix"), per_form=given["per_form"], topics=given["topics"]
        )
