/** A block of an answer's text: a small part of Markdown, shown as text and never as HTML. */
export type Block =
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "heading"; readonly text: string }
  | { readonly kind: "list"; readonly ordered: boolean; readonly items: readonly string[] }
  | { readonly kind: "code"; readonly language: string; readonly code: string };

const FENCE = /^\s*```\s*([\w+#-]*)/;
const HEADING = /^#{1,6}\s+(.*)/;
const ITEM = /^\s*(?:[-*+]|(\d+)[.)])\s+(.*)/;

/** The blocks of a text. A fence that is still open, because the answer is still coming, reaches to the end. */
export function proseBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  const lines = text.split("\n");
  for (let index = 0; index < lines.length; ) {
    if (lines[index]?.trim() === "") {
      index += 1;
      continue;
    }
    const taken = fenced(lines, index) ?? listed(lines, index) ?? spoken(lines, index);
    blocks.push(taken.block);
    index = taken.next;
  }
  return blocks;
}

interface Taken {
  readonly block: Block;
  readonly next: number;
}

function fenced(lines: readonly string[], begin: number): Taken | null {
  const fence = FENCE.exec(lines[begin] ?? "");
  if (fence === null) return null;
  const end = lines.findIndex((line, index) => index > begin && /^\s*```\s*$/.test(line));
  const last = end < 0 ? lines.length : end;
  const code = lines.slice(begin + 1, last).join("\n");
  return { block: { kind: "code", language: fence[1] ?? "", code }, next: last + 1 };
}

function listed(lines: readonly string[], begin: number): Taken | null {
  const first = ITEM.exec(lines[begin] ?? "");
  if (first === null) return null;
  const items: string[] = [];
  let next = begin;
  for (let item = first as RegExpExecArray | null; item !== null; item = ITEM.exec(lines[next] ?? "")) {
    items.push(item[2] ?? "");
    next += 1;
  }
  return { block: { kind: "list", ordered: first[1] !== undefined, items }, next };
}

function spoken(lines: readonly string[], begin: number): Taken {
  const heading = HEADING.exec(lines[begin] ?? "");
  if (heading !== null) return { block: { kind: "heading", text: heading[1] ?? "" }, next: begin + 1 };
  let next = begin + 1;
  const ends = (line: string) => line.trim() === "" || FENCE.test(line) || HEADING.test(line) || ITEM.test(line);
  while (next < lines.length && !ends(lines[next] ?? "")) next += 1;
  return { block: { kind: "paragraph", text: lines.slice(begin, next).join("\n") }, next };
}

export type Span = { readonly kind: "text" | "code" | "bold" | "italic"; readonly text: string };

/** A line's spans: `code`, **bold**, *italic*; all other text is unchanged. */
export function proseSpans(text: string): Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (const match of text.matchAll(
    /`([^`\n]+)`|\*\*(\S(?:[^*]*\S)?)\*\*|(?<![\w*])\*(\S(?:[^*\n]*\S)?)\*(?![\w*])/g,
  )) {
    if (match.index > end) spans.push({ kind: "text", text: text.slice(end, match.index) });
    const [whole, code, bold, italic] = match;
    const kind = code !== undefined ? "code" : bold !== undefined ? "bold" : "italic";
    spans.push({ kind, text: code ?? bold ?? italic ?? "" });
    end = match.index + whole.length;
  }
  if (end < text.length) spans.push({ kind: "text", text: text.slice(end) });
  return spans;
}
