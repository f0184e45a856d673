// Saves a form while it is written; without it the form works as any form does. What the server
// has not said it has lies on the device, and is put back into the form when it is opened again.
(function () {
  "use strict";
  const form = document.getElementById("answers");
  const state = form.querySelector(".save-state");
  const place = `answers ${location.pathname}`;
  const PAUSE = 1500, LONGEST_WAIT = 60000, MOST_AT_ONCE = 60000;
  const dirty = new Map(); // question -> how often it was changed on this page
  let timer, saving, wait = 0, leaving = "", kept = true;

  const block = (key) => form.querySelector(`[data-question="${key}"]`);
  const field = (name, key) => form.elements[`${name}-${key}`];
  const keyOf = (event) => event.target.closest("[data-question]")?.dataset.question;
  const post = (address, pairs, headers) =>
    fetch(address, { method: "POST", headers, body: new URLSearchParams(pairs) });

  function say(word, text = state.dataset[word]) {
    state.textContent = text;
    state.classList.toggle("waiting", word !== "saved" && word !== "saving");
  }

  function fields(keys) {
    const wanted = new Set(keys);
    return [...new FormData(form)].filter(([name]) => wanted.has(name.slice(name.indexOf("-") + 1)));
  }

  // ---- the copy on the device

  function keep() {
    try {
      const copy = {};
      for (const key of dirty.keys()) copy[key] = fields([key]);
      if (dirty.size) localStorage.setItem(place, JSON.stringify(copy));
      else localStorage.removeItem(place);
      kept = true;
    } catch { kept = false; } // storage is forbidden or full
  }

  // The revision comes back too: where the server has gone on since, it asks which shall stay.
  function restore() {
    let copy;
    try { copy = JSON.parse(localStorage.getItem(place)) || {}; } catch { return; }
    for (const [key, pairs] of Object.entries(copy)) {
      if (!block(key)) continue;
      for (const input of block(key).querySelectorAll("input, textarea")) {
        const at = pairs.findIndex(([name, value]) =>
          name === input.name && (!/checkbox|radio/.test(input.type) || value === input.value));
        if (/checkbox|radio/.test(input.type)) input.checked = at >= 0;
        else if (at >= 0) input.value = pairs.splice(at, 1)[0][1];
      }
      dirty.set(key, 1);
    }
    save();
  }

  // ---- saving

  function changed(event) {
    const key = keyOf(event);
    if (!key) return;
    const skip = field("skip", key);
    if (skip && event.target !== skip) skip.checked = false;
    dirty.set(key, (dirty.get(key) || 0) + 1);
    keep();
    later(PAUSE);
  }

  function later(ms) {
    clearTimeout(timer);
    timer = setTimeout(save, ms);
  }

  function save() {
    clearTimeout(timer);
    if (!saving && dirty.size && !leaving) saving = send().finally(() => { saving = null; });
  }

  async function send() {
    const sent = new Map(dirty);
    let body;
    say("saving");
    try {
      body = await (await post(form.dataset.save, fields(sent.keys()))).json();
    } catch {
      wait = Math.min(wait * 2 || 2000, LONGEST_WAIT);
      say(kept ? "waiting" : "unkept");
      later(wait);
      return;
    }
    wait = 0;
    const saved = body.saved || {}, refused = body.refused || {};
    for (const key of sent.keys()) {
      if (key in saved) field("rev", key).value = saved[key];
      if ((key in saved || !body.code) && dirty.get(key) === sent.get(key)) dirty.delete(key);
      mark(key, refused[key] || "");
    }
    keep();
    const clash = body.code === "answer.conflict";
    say(clash ? "conflict" : body.code ? "refused" : "saved", body.message);
    if (body.next) closed(body);
    if (!body.code && dirty.size) later(PAUSE);
  }

  function mark(key, words) {
    const fault = document.getElementById(`fault-${key}`);
    fault.textContent = words;
    fault.hidden = !words;
    block(key).classList.toggle("faulty", words !== "");
  }

  function closed(body) {
    const link = document.createElement("a");
    link.href = body.next;
    link.textContent = body.message;
    state.replaceChildren(link);
  }

  // ---- sending, by script first: a network that is gone takes no page and no word along

  async function submit(event) {
    const button = event.submitter;
    if (leaving === "as a page") return;
    event.preventDefault();
    if (leaving) return;
    leaving = "by script";
    clearTimeout(timer);
    say("saving");
    const to = new URL(button.getAttribute("formaction") || form.getAttribute("action"), location);
    let response, body;
    try {
      await saving;
      const pairs = [...new FormData(form), [button.name, button.value]];
      response = await post(to, pairs, { Accept: "application/json" });
      body = await response.json();
    } catch {
      leaving = "";
      say(kept ? "unsent" : "unkept");
      later(PAUSE);
      return;
    }
    if (!response.ok && body.message) {
      leaving = "";
      return say("refused", body.message);
    }
    dirty.clear();
    keep();
    if (response.ok) return location.assign(body.next + to.hash);
    leaving = "as a page"; // which shows what stands against it, and all that was written
    button.click();
  }

  function paste(event) {
    const key = keyOf(event);
    if (key) field("pasted", key).value -= -event.clipboardData.getData("text").length;
  }

  function goodbye() {
    const body = new URLSearchParams(fields(dirty.keys()));
    if (dirty.size && !leaving && `${body}`.length < MOST_AT_ONCE) {
      navigator.sendBeacon(form.dataset.save, body);
    }
  }

  form.addEventListener("input", changed);
  form.addEventListener("paste", paste);
  form.addEventListener("focusout", () => { if (dirty.size) later(0); });
  form.addEventListener("submit", submit);
  addEventListener("online", save);
  addEventListener("pagehide", goodbye);
  addEventListener("pageshow", (event) => { if (event.persisted) leaving = ""; });

  document.getElementById("faults")?.focus();
  restore();
})();
