// Keys for annotators, drafts saved while they write, and a copy on the device of what the server
// has not said it has. Without it the form works as any form does.
(function () {
  "use strict";
  const left = document.querySelector("[data-left]"); // the task that was sent just now
  const form = document.getElementById("judging");
  const PAUSE = 1500, LONGEST_WAIT = 60000;
  const copyOf = (path) => `judging ${path}`;
  const storage = (act) => { try { return act(localStorage); } catch { return null; } }; // forbidden or full

  if (left) storage((kept) => kept.removeItem(copyOf(left.dataset.left)));
  if (!form) return;

  const path = form.getAttribute("action"); // the buttons are called action, too
  const keeps = form.hasAttribute("data-draft");
  const state = form.querySelector(".save-state");
  const single = document.getElementById("single-keys");
  const rows = [...form.querySelectorAll(".concept")];
  const answers = [...form.querySelectorAll("[data-answer]")];
  const button = (action) => form.querySelector(`button[value="${action}"]`);
  let current = rows[0], changes = 0, saved = 0, timer, wait = 0, leaving = false;
  let loading = false; // another page is on its way, and may have been made before the newest draft came

  // ---- the text that answers are ticked for

  const boxes = (row) => [...row.querySelectorAll("[type=checkbox]")];
  const text = (row) => row.querySelector("textarea");

  function at(row) {
    if (!row) return;
    current = row;
    rows.forEach((each) => each.classList.toggle("current", rows.length > 1 && each === row));
    answers.forEach((answer, place) => {
      const box = boxes(row)[place];
      answer.querySelector("label").htmlFor = box.id;
      answer.classList.toggle("supports", box.checked);
    });
  }

  // Whoever writes what they agree on, or ticks who says it, has said that they do.
  function agreeing(target) {
    const chosen = form.querySelector("[name=choice]:checked");
    const agree = form.querySelector("[name=choice][value=agreement]");
    if (agree && !chosen && target.closest(".concept")) agree.checked = true;
  }

  // ---- keeping what is written

  const pairs = () => [...new FormData(form)].filter(([name]) => name !== "csrfmiddlewaretoken");

  function say(words) { if (state) state.textContent = words; }

  function keep() {
    storage((kept) => changes > saved
      ? kept.setItem(copyOf(path), JSON.stringify(pairs())) : kept.removeItem(copyOf(path)));
  }

  function later(ms) {
    clearTimeout(timer);
    timer = setTimeout(save, ms);
  }

  async function save() {
    clearTimeout(timer);
    if (!keeps || leaving || changes === saved) return;
    const now = changes, body = new URLSearchParams([...new FormData(form), ["action", "draft"]]);
    say("Saving …");
    try {
      const response = await fetch(path, { method: "POST", headers: { Accept: "application/json" }, body });
      const told = await response.json();
      if (!response.ok) return say(told.message);
    } catch {
      wait = Math.min(wait * 2 || 2000, LONGEST_WAIT);
      say("Kept on this device, waiting for the network.");
      return later(wait);
    }
    wait = 0;
    if (loading) return; // the copy stays for that page
    saved = now;
    keep();
    say("Saved.");
    if (changes > saved) later(PAUSE);
  }

  function restore() {
    const copy = storage((kept) => JSON.parse(kept.getItem(copyOf(path))));
    if (!copy || !keeps) return;
    const has = (name, value) => copy.some((pair) => pair[0] === name && pair[1] === value);
    for (const field of form.elements) {
      if (/checkbox|radio/.test(field.type)) {
        if (field.name) field.checked = has(field.name, field.value);
      } else if (field.matches("textarea")) {
        field.value = copy.find(([name]) => name === field.name)?.[1] ?? field.value;
      }
    }
    changes += 1;
    later(0);
  }

  // ---- keys

  function toggle(number) {
    const box = current && boxes(current)[number - 1];
    if (box) box.click();
  }

  function flag() {
    const note = form.elements.note;
    if (note.value.trim()) button("flag").click();
    else note.focus();
  }

  function choose(key) {
    const choice = form.querySelector(`[name=choice][aria-keyshortcuts="${key}"]`);
    if (choice) choice.click();
    return Boolean(choice);
  }

  function pressed(key) {
    if (/^[1-9]$/.test(key)) return toggle(Number(key)), true;
    if (key === "enter") return (button("send") || button("decide")).click(), true;
    if (key === "t" && current && text(current)) return text(current).focus(), true;
    if (key === "s" && button("skip")) return button("skip").click(), true;
    if (key === "f" && button("flag")) return flag(), true;
    if (key === "g" && button("unfold")) return button("unfold").click(), true;
    if (key === "?") {
      const keys = document.getElementById("keys");
      keys.open = !keys.open;
      return true;
    }
    return choose(key);
  }

  document.addEventListener("keydown", (event) => {
    const writing = event.target.closest("textarea, input:not([type=checkbox], [type=radio]), select");
    if (event.key === "Enter" && event.ctrlKey) {
      event.preventDefault();
      pressed("enter");
    } else if (event.key === "Escape" && writing && form.contains(writing)) {
      writing.blur();
    } else if (single.checked && !writing && !event.repeat && !event.ctrlKey && !event.metaKey && !event.altKey) {
      if (event.key === "Enter" && event.target.closest("button, a, summary")) return;
      if (pressed(event.key.toLowerCase())) event.preventDefault();
    }
  });

  single.checked = storage((kept) => kept.getItem("single keys")) !== "off";
  single.addEventListener("change", () => {
    storage((kept) => kept.setItem("single keys", single.checked ? "on" : "off"));
  });

  form.addEventListener("focusin", (event) => at(event.target.closest(".concept")));
  form.addEventListener("input", (event) => {
    if (event.target === single) return;
    agreeing(event.target);
    at(event.target.closest(".concept") || current);
    changes += 1;
    loading = false;
    keep();
    later(PAUSE);
  });
  form.addEventListener("submit", () => {
    leaving = true;
    clearTimeout(timer);
  });
  addEventListener("beforeunload", () => { loading = true; });
  addEventListener("online", save);
  addEventListener("pageshow", (event) => { if (event.persisted) leaving = loading = false; });

  restore();
  at(current);
})();
