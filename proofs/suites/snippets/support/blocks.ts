import { join } from "node:path";

export const ROOT = join(import.meta.dir, "../../../..");

/** A fenced block of a document. */
export interface Block {
  readonly document: string;
  /** The line of the opening fence. */
  readonly line: number;
  /** What stands behind the opening fence; empty where nothing does. */
  readonly language: string;
  /** What is between the fences, without the indent of the list that the block may be in. */
  readonly text: string;
}

/** Every document that people read: the pages of `docs`, and those at the root but the history of changes. */
const DOCUMENTS: readonly string[] = [
  ...["README.md", "CONTRIBUTING.md", "SECURITY.md"],
  ...(await Array.fromAsync(new Bun.Glob("docs/**/*.md").scan({ cwd: ROOT }))).sort(),
];

/** Every fenced block of every document, in the documents' order. */
export const BLOCKS: readonly Block[] = (await Promise.all(DOCUMENTS.map(blocksOf))).flat();

/** `docs/scale.md:12`. */
export function placeOf({ document, line }: Block): string {
  return `${document}:${line}`;
}

async function blocksOf(document: string): Promise<Block[]> {
  const text = await Bun.file(join(ROOT, document)).text();
  return readBlocks(document, text);
}

/** The blocks of a document's text. Throws where a fence is never closed. */
export function readBlocks(document: string, text: string): Block[] {
  const blocks: Block[] = [];
  let open: { line: number; indent: string; language: string; lines: string[] } | null = null;
  for (const [index, line] of text.split("\n").entries()) {
    const fence = /^(\s*)```(\S*)/.exec(line);
    if (open === null && fence !== null)
      open = { line: index + 1, indent: fence[1] ?? "", language: fence[2] ?? "", lines: [] };
    else if (open !== null && fence !== null && fence[2] === "") {
      const { indent, lines, ...block } = open;
      const inside = lines.map((each) => (each.startsWith(indent) ? each.slice(indent.length) : each));
      blocks.push({ document, ...block, text: `${inside.join("\n")}\n` });
      open = null;
    } else open?.lines.push(line);
  }
  if (open !== null) throw new Error(`${document}:${open.line}: a block is not closed`);
  return blocks;
}
