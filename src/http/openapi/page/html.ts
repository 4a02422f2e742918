/** A text with HTML's special characters escaped. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A name as part of an element's id. */
export function slug(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, "-");
}

/**
 * HTML for the little Markdown that the document's descriptions use: paragraphs, line breaks between items, and `code`.
 */
export function markdown(text: string): string {
  if (text === "") return "";
  return text
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${inlineMarkdown(paragraph.replace(/\n/g, " "))}</p>`)
    .join("");
}

/** HTML for a line of that Markdown. */
export function inlineMarkdown(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

/** A block of code with its label; `reference.js` adds a button that copies the code. */
export function codeBlock(label: string, source: string, attributes = ""): string {
  const caption = `<figcaption>${escapeHtml(label)}</figcaption>`;
  return `<figure class="code"${attributes}>${caption}<pre tabindex="0"><code>${escapeHtml(source)}</code></pre></figure>`;
}
