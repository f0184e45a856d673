// Plays by socket what works by forms without it. The page has
//   #game[data-socket]    the zones, and the address of the socket
//   [data-connection]     a polite live region; what it says: data-lost, data-unsent, data-back
//   [data-taken]          hidden until a newer page plays; its button [data-reload] loads this one
// A zone ([data-zone]) is touched only where the server's HTML of it differs. One whose data-key
// stays keeps its fields: text, focus and selection. While an input method composes, its zone waits.
(function () {
  "use strict";
  const game = document.getElementById("game");
  const region = document.querySelector("[data-connection]"), notice = document.querySelector("[data-taken]");
  const LONGEST = 8000, QUIET = 700, WITHOUT = 4000, LONGEST_WAIT = 8000;
  const FINAL = [4403, 4404, 4409, 4410]; // games.wire.Closing
  const FIELD = "textarea, select, input:not([type=hidden])", TEXT = "textarea, input[type=text]";
  const tab = random();
  const sources = new Map(); // zone -> its HTML as the server sent it
  const outbox = new Map(); // nonce -> what is not acknowledged yet: {fields, key, form}
  let socket, again = "", tries = 0, version = 0, tag, asked = true;
  let beatMs = 5000, spoke = 0, beaten = 0, lostAt = Date.now(), posting = false, ended = false;
  let offset = 0; // the server's clock less ours
  let composing = null, held = null; // the zone that composes, and the view that waits for it

  function random() {
    return Array.from(crypto.getRandomValues(new Uint8Array(12)), (each) => each.toString(16).padStart(2, "0")).join("");
  }

  function say(words) {
    if (region.textContent !== (words || "")) region.textContent = words || "";
  }

  // ---- what the server shows

  function show(view) {
    if (typeof view.now === "number") offset = view.now - Date.now();
    if (view.beat) beatMs = view.beat;
    if (view.version < version && !asked) { // older than what is here, or of another place: which?
      return look();
    }
    asked = false;
    ({ version, tag } = view);
    const page = document.createElement("template");
    page.innerHTML = view.html;
    update(page.content);
  }

  function update(fresh) {
    const wanted = [...fresh.querySelectorAll("[data-zone]")];
    const old = new Map([...game.querySelectorAll("[data-zone]")].map((zone) => [zone.dataset.zone, zone]));
    if (composing && game.contains(composing)) held = fresh.cloneNode(true);
    let before = null;
    for (const zone of wanted) {
      const name = zone.dataset.zone, source = zone.outerHTML, here = old.get(name);
      old.delete(name);
      if (here && here === composing) { before = here; continue; }
      if (here && sources.get(name) === source) { before = here; continue; }
      sources.set(name, source);
      before = put(here, zone, before);
    }
    for (const [name, zone] of old) {
      if (zone === composing) continue;
      sources.delete(name);
      zone.remove();
    }
    tick();
  }

  // Returns the element that stands in the page now.
  function put(here, zone, before) {
    if (here && here.nodeName === zone.nodeName && here.dataset.key === zone.dataset.key) {
      morph(here, zone);
      restore(here);
      return here;
    }
    const focused = here && here.contains(document.activeElement);
    if (here && zone.dataset.key !== "none") forget(here);
    if (here) here.replaceWith(zone);
    else if (before) before.after(zone);
    else game.prepend(zone);
    restore(zone);
    if (focused) zone.querySelector(`${FIELD}, button, a`)?.focus({ preventScroll: true });
    return zone;
  }

  function morph(here, fresh) {
    if (here.nodeType !== 1) {
      if (here.nodeValue !== fresh.nodeValue) here.nodeValue = fresh.nodeValue;
      return;
    }
    if (here.hasAttribute("data-fault") || here.isEqualNode(fresh)) return;
    const field = here.matches(FIELD);
    for (const { name } of [...here.attributes]) {
      if (!fresh.hasAttribute(name)) here.removeAttribute(name);
    }
    for (const { name, value } of fresh.attributes) {
      if (here.getAttribute(name) !== value && !(field && /^(value|checked)$/.test(name))) here.setAttribute(name, value);
    }
    if (field) return;
    const ours = [...here.childNodes];
    let at = 0;
    for (const node of [...fresh.childNodes]) {
      const found = like(ours, at, node);
      if (found < 0) {
        here.insertBefore(node, ours[at] || null);
        continue;
      }
      ours.slice(at, found).forEach((each) => each.remove());
      at = found + 1;
      morph(ours[found], node);
    }
    ours.slice(at).forEach((node) => node.remove());
  }

  // Where among the nodes the same one stands, though no field is given up to get there.
  function like(nodes, at, wanted) {
    for (let place = at; place < nodes.length; place += 1) {
      const node = nodes[place];
      if (node.nodeName === wanted.nodeName && node.id === wanted.id && node.name === wanted.name) return place;
      if (node.nodeType === 1 && (node.matches(FIELD) || node.querySelector(FIELD))) return -1;
    }
    return -1;
  }

  // ---- half-typed text, by what it is about

  const place = (zone) => `play ${location.pathname} ${zone.dataset.key}`;

  function keep(zone) {
    const typed = [...zone.querySelectorAll(TEXT)].map((each) => [each.name, each.value]);
    try { sessionStorage.setItem(place(zone), JSON.stringify(typed)); } catch { /* lasts as long as the page */ }
  }

  function restore(zone) {
    if (!zone.dataset.key) return;
    let typed = [];
    try { typed = JSON.parse(sessionStorage.getItem(place(zone))) || []; } catch { return; }
    for (const [name, value] of typed) {
      const field = zone.querySelector(`[name="${CSS.escape(name)}"]`);
      if (field && value && field !== document.activeElement) field.value = value;
    }
  }

  function forget(zone) {
    if (!zone.dataset.key) return;
    try { sessionStorage.removeItem(place(zone)); } catch { /* nothing was kept */ }
  }

  // ---- what the player sends

  function submit(event) {
    const form = event.target, button = event.submitter;
    if (event.defaultPrevented || !game.contains(form) || form.method !== "post") return;
    const data = new FormData(form);
    if (button && button.name) data.set(button.name, button.value);
    const fields = {};
    for (const [name, value] of data) fields[name] = String(value);
    if (!fields.do || ended) return;
    event.preventDefault();
    const key = `${fields.do} ${form.dataset.key || ""}`;
    for (const other of outbox.values()) if (other.key === key) return; // a second click
    fields.nonce = random();
    fault(form, "");
    outbox.set(fields.nonce, { fields, key, form });
    if (open()) send(fields);
    else if (Date.now() - lostAt > WITHOUT) post();
  }

  function fault(form, words) {
    const said = (form.isConnected ? form : game).querySelector("[data-fault]") || game.querySelector("[data-fault]");
    if (said) said.textContent = words;
    else say(words);
  }

  function settled(message) {
    const sent = outbox.get(message.nonce);
    outbox.delete(message.nonce);
    if (message.type === "refused") fault(sent ? sent.form : game, message.message);
    else say("");
  }

  function enter(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    if (!event.target.matches("textarea[enterkeyhint=send]")) return;
    event.preventDefault();
    const button = event.target.form.querySelector("button");
    if (button) event.target.form.requestSubmit(button);
  }

  const open = () => socket && socket.readyState === WebSocket.OPEN;

  function send(message) {
    const text = JSON.stringify(message);
    if (new TextEncoder().encode(text).length > LONGEST) return post(message); // which has more room
    spoke = Date.now();
    socket.send(text);
  }

  function look() {
    asked = true;
    if (open()) send({ do: "look" });
  }

  // ---- the socket

  function connect() {
    clearTimeout(connect.timer);
    if (ended || (socket && socket.readyState < WebSocket.CLOSING)) return;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    try {
      socket = new WebSocket(`${scheme}//${location.host}${game.dataset.socket}?tab=${tab}${again}`);
    } catch { return lost({}); }
    const mine = socket;
    mine.onopen = () => { asked = true; };
    mine.onmessage = (event) => { if (mine === socket) hear(JSON.parse(event.data)); };
    mine.onclose = (event) => { if (mine === socket) lost(event); };
  }

  function hear(message) {
    beaten = 0;
    if (lostAt && message.type === "view") { // the first word: what is not acknowledged goes again
      for (const { fields } of outbox.values()) send(fields);
      say(tries > 1 ? region.dataset.back : "");
      [again, tries, lostAt] = ["&again", 0, 0];
    }
    if (message.type === "view") show(message);
    else if (message.type === "ack" || message.type === "refused") {
      settled(message);
      if (message.view) hear(message.view);
    }
    else if (message.type === "beat" && message.tag !== tag) look();
    else if (message.type === "taken") taken();
    else if (message.type === "go") go(message.address);
  }

  function lost(event) {
    if (!lostAt) lostAt = Date.now();
    if (ended || FINAL.includes(event.code)) return;
    tries += 1;
    const wait = Math.min(LONGEST_WAIT, 250 * 2 ** Math.min(tries, 6)) * (0.5 + Math.random());
    clearTimeout(connect.timer);
    connect.timer = setTimeout(connect, wait);
  }

  function taken() {
    ended = true;
    game.hidden = true;
    notice.hidden = false;
    say("");
    notice.querySelector("[data-reload]").focus();
  }

  function go(address) {
    ended = true;
    location.assign(address);
  }

  // ---- without a socket, by the forms' own way

  async function post(fields = outbox.values().next().value?.fields) {
    if (posting || ended) return;
    posting = true;
    try {
      const message = await ask("POST", fields || { do: "look" });
      if (message.next) go(message.next);
      else if (fields) settled({ type: message.code ? "refused" : "ack", nonce: fields.nonce, ...message });
      [asked, tag] = [true, undefined];
      if ("html" in message) show(message);
      else if (message.code && !ended) show(await ask("GET"));
    } catch { /* the network is gone as well; it is tried again */ }
    posting = false;
  }

  async function ask(method, fields) {
    const body = fields && new URLSearchParams(fields);
    const response = await fetch(location.pathname, { method, body, headers: { Accept: "application/json" } });
    if (response.redirected) return { next: response.url };
    return response.json();
  }

  // ---- time

  function tick() {
    for (const zone of game.querySelectorAll("[data-due]")) {
      const left = Math.max(0, Number(zone.dataset.due) - Date.now() - offset);
      zone.querySelector("progress").value = left;
    }
  }

  function round() {
    const now = Date.now();
    setTimeout(round, Math.min(500, beatMs / 2));
    tick();
    if (ended) return;
    if (open() && !lostAt) {
      if (beaten && now - beaten > 3 * beatMs) { // it only looks open
        socket.close();
        socket = null;
        lost({});
      } else if (now - spoke >= beatMs) {
        beaten = beaten || now;
        send({ do: "beat" });
      }
      return;
    }
    if (now - lostAt > QUIET && tries) say(outbox.size ? region.dataset.unsent : region.dataset.lost);
    if (now - lostAt > WITHOUT && now - spoke >= Math.max(beatMs, 1000)) {
      spoke = now;
      post();
    }
  }

  for (const zone of game.querySelectorAll("[data-zone]")) restore(zone);
  document.addEventListener("submit", submit);
  game.addEventListener("keydown", enter);
  game.addEventListener("input", (event) => {
    const zone = event.target.closest("[data-key]");
    if (zone) keep(zone);
  });
  game.addEventListener("compositionstart", (event) => { composing = event.target.closest("[data-zone]"); });
  game.addEventListener("compositionend", () => setTimeout(() => {
    composing = null;
    const waiting = held;
    held = null;
    if (waiting) update(waiting);
  }));
  for (const name of ["online", "pageshow"]) addEventListener(name, connect);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) connect(); });
  notice.addEventListener("click", (event) => { if (event.target.closest("[data-reload]")) location.reload(); });
  connect();
  round();
})();
