// Chooses light or dark before the first paint; src/app/theme.ts changes it afterwards. Loaded as a classic script, so
// that it blocks: a module would run after the page has been painted in the wrong colours.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("camino-theme");
  } catch {
    // The browser may forbid storage; the system's theme then stays.
  }
  const dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();
