// Additions to the API reference for browsers that run scripts: buttons that copy, snippets in one language at a time,
// a search of the contents, which begin folded on a small screen. Without scripts all snippets are shown.

const STORED = "camino-docs-language";

function copyButton(figure) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    button.textContent = (await copy(figure.querySelector("pre"))) ? "Copied" : "Press Ctrl+C";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 2000);
  });
  figure.querySelector("figcaption").append(button);
}

/** Pages over plain HTTP from another host may not use the clipboard: there the text is selected instead. */
async function copy(block) {
  try {
    await navigator.clipboard.writeText(block.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(block);
    return false;
  }
}

function languageButtons(samples) {
  const figures = [...samples.querySelectorAll("figure[data-lang]")];
  if (figures.length < 2) return;
  const row = document.createElement("div");
  row.className = "languages";
  for (const { dataset, children } of figures) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.choose = dataset.lang;
    button.textContent = children[0].firstChild.textContent;
    button.addEventListener("click", () => choose(dataset.lang));
    row.append(button);
  }
  samples.prepend(row);
}

function choose(language) {
  for (const samples of document.querySelectorAll(".samples")) {
    const figures = [...samples.querySelectorAll("figure[data-lang]")];
    if (!figures.some(({ dataset }) => dataset.lang === language)) continue;
    for (const figure of figures) figure.hidden = figure.dataset.lang !== language;
    for (const button of samples.querySelectorAll("button[data-choose]"))
      button.setAttribute("aria-pressed", String(button.dataset.choose === language));
  }
  try {
    localStorage.setItem(STORED, language);
  } catch {
    // Storage may be switched off; the choice then lasts as long as the page.
  }
}

function storedLanguage() {
  try {
    return localStorage.getItem(STORED) ?? "shell";
  } catch {
    return "shell";
  }
}

/** Leaves those of the contents that have all of the words in their name, method or path. */
function contentsSearch(contents) {
  const field = document.createElement("input");
  field.type = "search";
  field.placeholder = "Find an endpoint or a schema";
  field.setAttribute("aria-label", field.placeholder);
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/);
    for (const list of contents.querySelectorAll("ul")) {
      const items = [...list.children];
      for (const item of items) {
        const text = `${item.textContent} ${item.dataset.path ?? ""}`.toLowerCase();
        item.hidden = !words.every((word) => text.includes(word));
      }
      list.hidden = items.every(({ hidden }) => hidden);
      list.previousElementSibling.hidden = list.hidden;
    }
  });
  contents.querySelector("summary").after(field);
}

contentsSearch(document.querySelector("nav details"));
for (const samples of document.querySelectorAll(".samples")) languageButtons(samples);
for (const figure of document.querySelectorAll("figure.code")) copyButton(figure);
choose(storedLanguage());
if (matchMedia("(max-width: 48rem)").matches) document.querySelector("nav details").open = false;
