/** Text as HTML that shows it. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A name as part of an element's id. */
export function slug(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, "-");
}

/** The little Markdown that the document's sentences use: paragraphs, line breaks between items, and `code`. */
export function markdown(text: string): string {
  if (text === "") return "";
  return text
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${inlineMarkdown(paragraph.replace(/\n/g, " "))}</p>`)
    .join("");
}

/** One line of it. */
export function inlineMarkdown(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

/** A block of code with what it is called; `reference.js` gives it a button that copies. */
export function codeBlock(label: string, source: string, attributes = ""): string {
  const caption = `<figcaption>${escapeHtml(label)}</figcaption>`;
  return `<figure class="code"${attributes}>${caption}<pre tabindex="0"><code>${escapeHtml(source)}</code></pre></figure>`;
}
