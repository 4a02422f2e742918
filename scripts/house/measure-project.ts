import { posix } from "node:path";
import type { SourceFile } from "./source-files.ts";

/** What a project's product code comes to, by which one state of it is compared with another. Counted in texts alone, so that any checkout can be measured. */
export interface ProjectSizes {
  /** Lines of product code of each room, by the rooms' names. */
  readonly rooms: ReadonlyMap<string, { readonly files: number; readonly lines: number }>;
  readonly files: number;
  readonly lines: number;
  /** Product files that exactly one other product file imports. */
  readonly single_importers: number;
  /** Pairs of folders of which each imports the other; a folder and one inside of it are a pair as well. */
  readonly folder_pairs: readonly (readonly [string, string])[];
  /** Words of documents, by kind. */
  readonly words: { readonly documents: number; readonly decisions: number; readonly readmes: number };
}

/** What of `src` only tests run: suites of both databases, and what helps tests. */
const HELPER = /\/(suite|support|testing)\/|\.suite\.ts$/;

/** Whether a file is product code: TypeScript in `src` that is no test and helps none. */
export function isProduct(path: string): boolean {
  return /^src\/.*\.tsx?$/.test(path) && !/\.(test\.tsx?|d\.ts)$/.test(path) && !HELPER.test(path);
}

export function measureProject(files: readonly SourceFile[]): ProjectSizes {
  const product = files.filter(({ path }) => isProduct(path));
  const rooms = new Map<string, { files: number; lines: number }>();
  for (const { path, text } of [...product].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const name = (path.split("/")[1] ?? "").replace(".ts", "");
    const room = rooms.get(name) ?? { files: 0, lines: 0 };
    rooms.set(name, { files: room.files + 1, lines: room.lines + linesOf(text) });
  }
  const imports = product.flatMap(importsOf);
  const importers = Map.groupBy(imports, ({ to }) => to);
  const counted = product.map(({ path }) => new Set(importers.get(path)?.map(({ from }) => from)).size);
  return {
    rooms,
    files: product.length,
    lines: [...rooms.values()].reduce((sum, { lines }) => sum + lines, 0),
    single_importers: counted.filter((count) => count === 1).length,
    folder_pairs: pairsIn(imports),
    words: {
      documents: wordsIn(files, (path) => /^(docs\/(?!adr\/).*|[A-Z]+)\.md$/.test(path)),
      decisions: wordsIn(files, (path) => /^docs\/adr\/.*\.md$/.test(path)),
      readmes: wordsIn(files, (path) => /\/README\.md$/.test(path) && !path.startsWith("docs/")),
    },
  };
}

interface Import {
  readonly from: string;
  readonly to: string;
}

const IMPORTED =
  /(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+|\bnew URL\(\s*|\bimport\.meta\.dir,\s*)["'](\.\.?\/[^"']+)["']/g;

function importsOf({ path, text }: SourceFile): Import[] {
  return [...text.matchAll(IMPORTED)].map(([, target = ""]) => ({
    from: path,
    to: posix.join(posix.dirname(path), target),
  }));
}

function pairsIn(imports: readonly Import[]): [string, string][] {
  const known = new Set(imports.map(({ from, to }) => `${posix.dirname(from)} ${posix.dirname(to)}`));
  return [...known]
    .map((pair): [string, string] => pair.split(" ") as [string, string])
    .filter(([one, other]) => one < other && known.has(`${other} ${one}`))
    .sort(([a], [b]) => a.localeCompare(b));
}

function linesOf(text: string): number {
  return text.trimEnd().split("\n").length;
}

function wordsIn(files: readonly SourceFile[], matches: (path: string) => boolean): number {
  return files
    .filter(({ path }) => matches(path))
    .reduce((sum, { text }) => sum + (text.match(/\S+/g)?.length ?? 0), 0);
}

/** How many packages a lock file installs: for a gateway that runs, and for development beside it. */
export function countPackages(lock: string): { readonly runtime: number; readonly development: number } {
  const { packages } = JSON.parse(lock) as { packages: Readonly<Record<string, { readonly dev?: boolean }>> };
  const installed = Object.entries(packages).filter(([path]) => path !== "");
  const runtime = installed.filter(([, { dev }]) => dev !== true).length;
  return { runtime, development: installed.length - runtime };
}
