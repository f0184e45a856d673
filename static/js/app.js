// Loaded in the head, before the page is drawn, so that a chosen theme never flashes.
(function () {
  "use strict";
  const root = document.documentElement;
  root.classList.add("js");

  // Storage may be forbidden; then the choice lasts as long as the page.
  const remembered = {
    get() { try { return localStorage.getItem("theme"); } catch { return null; } },
    set(theme) { try { localStorage.setItem("theme", theme); } catch { /* lasts as long as the page */ } },
  };
  const chosen = remembered.get();
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;

  function toggleTheme() {
    const systemDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : systemDark;
    root.dataset.theme = dark ? "light" : "dark";
    remembered.set(root.dataset.theme);
  }

  async function copy(button) {
    const source = document.querySelector(button.dataset.copy);
    const words = button.textContent;
    try {
      await navigator.clipboard.writeText(source.value ?? source.textContent.trim());
      button.textContent = button.dataset.copied || "Copied";
    } catch {
      getSelection().selectAllChildren(source);
      button.textContent = button.dataset.selected || "Selected: press Ctrl+C";
    }
    setTimeout(() => { button.textContent = words; }, 2000);
  }

  // What is missing is said before anybody is asked whether they mean it.
  function filled(button) {
    const { form } = button;
    return !form || form.noValidate || button.formNoValidate || form.reportValidity();
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-theme-toggle], [data-copy], [data-back], button[data-confirm]");
    if (button) {
      if (button.matches("[data-theme-toggle]")) toggleTheme();
      if (button.matches("[data-copy]")) copy(button);
      if (button.matches("[data-back]")) history.back();
      if (button.matches("[data-confirm]") && !(filled(button) && confirm(button.dataset.confirm))) event.preventDefault();
    }
    document.querySelectorAll("details.menu[open]").forEach((menu) => {
      if (!menu.contains(event.target)) menu.open = false;
    });
  });

  document.addEventListener("submit", (event) => {
    const question = event.target.dataset.confirm;
    if (question && !confirm(question)) event.preventDefault();
  });

  document.addEventListener("keydown", (event) => {
    const menu = document.querySelector("details.menu[open]");
    if (event.key === "Escape" && menu) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });
})();
