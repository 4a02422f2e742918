import type { WireDocument, WireImage, WireText } from "./wire-blocks.ts";

/** The content in place of a document where the target reads no documents (docs/rulings.md 161); never empty. */
export interface CarriedDocument {
  readonly blocks: readonly (WireText | WireImage)[];
  /**
   * The names of the parts that were left out: `document` for a file, whose text is not known here; `citations` where the model was to
   * cite from the document.
   */
  readonly left_out: readonly string[];
}

/** The most characters of a document's name that are shown. */
const LONGEST_NAME = 200;

/**
 * A document of a tool's result for a target that reads no documents. Text and blocks are carried as they are, under
 * their title; for a file, a sentence says that it was left out. A cache hint stays on the last block.
 */
export function carryDocument(document: WireDocument): CarriedDocument {
  const { source, context, cache_control, citations } = document;
  const about = said(context ?? "");
  const inside = contentOf(source);
  const blocks = inside === null ? [text(absence(document)), ...about] : [...heading(document), ...about, ...inside];
  const left_out = inside === null ? ["document"] : citations?.enabled ? ["citations"] : [];
  const last = blocks.at(-1) ?? text(EMPTY);
  const hinted = cache_control ? { ...last, cache_control } : last;
  return { blocks: [...blocks.slice(0, -1), hinted], left_out };
}

const EMPTY = "[An empty document.]";

/** The content of a document as blocks; null for a file. */
function contentOf(source: WireDocument["source"]): (WireText | WireImage)[] | null {
  if (source.type === "text") return said(source.data);
  if (source.type !== "content") return null;
  if (typeof source.content === "string") return said(source.content);
  return source.content.flatMap((block) => (block.type === "text" && block.text.trim() === "" ? [] : [block]));
}

/** A text as a block; none for blank text, because vendors refuse blank blocks. */
function said(content: string): WireText[] {
  return content.trim() === "" ? [] : [text(content)];
}

function heading({ title }: WireDocument): WireText[] {
  return title ? [text(`Document ${named(title)}:`)] : [];
}

/** A sentence for a file: `[A document was left out here, as this model reads none: "report.pdf", application/pdf]` */
function absence({ source, title }: WireDocument): string {
  const what = [
    title ? named(title) : source.type === "url" ? named(source.url) : null,
    source.type === "base64"
      ? source.media_type.slice(0, LONGEST_NAME)
      : source.type === "url"
        ? "application/pdf"
        : null,
  ].filter((word) => word !== null);
  return `[A document was left out here, as this model reads none${what.length === 0 ? "" : `: ${what.join(", ")}`}]`;
}

function named(name: string): string {
  return JSON.stringify(name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME)}…`);
}

function text(content: string): WireText {
  return { type: "text", text: content };
}
