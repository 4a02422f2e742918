import { parseAst } from "vite";
import { isTestFile, roomOf } from "./rooms.ts";
import type { SourceFile } from "./source-files.ts";

/** The sizes of a room's product code: its own tests and data are left out. */
export interface RoomSizes {
  readonly room: string;
  /** Lines of each file, ascending. */
  readonly file_lines: readonly number[];
  /** Lines of each function with a body, nested functions included, ascending. */
  readonly function_lines: readonly number[];
  /** Type assertions (`x as T`, `<T>x`) but for `as const`. */
  readonly casts: number;
}

/** Folders whose code is the product. */
const PRODUCT = /^(src|console|contract|simulator)\//;

/** Measures the product's TypeScript files by room, in the order of the rooms' names. */
export function measureSizes(files: readonly SourceFile[]): RoomSizes[] {
  const rooms = new Map<string, FileSizes[]>();
  for (const { path, text } of files) {
    if (!/\.tsx?$/.test(path) || path.endsWith(".d.ts") || isTestFile(path) || !PRODUCT.test(path)) continue;
    const room = roomOf(path);
    const measured = rooms.get(room) ?? [];
    measured.push(measureFile(path, text));
    rooms.set(room, measured);
  }
  return [...rooms.entries()]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([room, measured]) => ({
      room,
      file_lines: ascending(measured.map(({ lines }) => lines)),
      function_lines: ascending(measured.flatMap(({ function_lines }) => function_lines)),
      casts: measured.reduce((sum, { casts }) => sum + casts, 0),
    }));
}

interface FileSizes {
  readonly lines: number;
  readonly function_lines: readonly number[];
  readonly casts: number;
}

/** The members of a syntax tree's node that this script reads. */
interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly body?: unknown;
  readonly typeAnnotation?: unknown;
}

const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);
const CASTS = new Set(["TSAsExpression", "TSTypeAssertion"]);

function measureFile(path: string, text: string): FileSizes {
  const line_starts = lineStarts(text);
  const function_lines: number[] = [];
  let casts = 0;
  visit(parseAst(text, { lang: path.endsWith("x") ? "tsx" : "ts" }), (node) => {
    if (FUNCTIONS.has(node.type) && node.body) {
      function_lines.push(lineOf(line_starts, node.end - 1) - lineOf(line_starts, node.start) + 1);
    }
    if (CASTS.has(node.type) && !isConst(node, text)) casts += 1;
  });
  return { lines: text.trimEnd().split("\n").length, function_lines, casts };
}

function isConst({ typeAnnotation }: SyntaxNode, text: string): boolean {
  return isNode(typeAnnotation) && text.slice(typeAnnotation.start, typeAnnotation.end) === "const";
}

function visit(value: unknown, onNode: (node: SyntaxNode) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) visit(item, onNode);
  } else if (isNode(value)) {
    onNode(value);
    for (const member of Object.values(value)) if (typeof member === "object") visit(member, onNode);
  }
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value && "end" in value;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** The line, from 0, in which an offset lies. */
function lineOf(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] as number) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

function ascending(numbers: readonly number[]): number[] {
  return [...numbers].sort((a, b) => a - b);
}

/** A table with a row for each room and, last, a row for all rooms together. */
export function formatSizes(rooms: readonly RoomSizes[]): string {
  const all: RoomSizes = {
    room: "all",
    file_lines: ascending(rooms.flatMap(({ file_lines }) => file_lines)),
    function_lines: ascending(rooms.flatMap(({ function_lines }) => function_lines)),
    casts: rooms.reduce((sum, { casts }) => sum + casts, 0),
  };
  const head = [
    "room",
    "files",
    "lines",
    "median",
    "p90",
    "largest",
    "functions",
    "p90",
    "largest",
    "casts per 1,000 lines",
  ];
  const rows = [head, ...[...rooms, all].map(formatRoom)];
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => pad(cell, widths[column] as number, column))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function formatRoom({ room, file_lines, function_lines, casts }: RoomSizes): string[] {
  const lines = file_lines.reduce((sum, count) => sum + count, 0);
  return [
    room,
    ...[file_lines.length, lines, quantile(file_lines, 0.5), quantile(file_lines, 0.9), file_lines.at(-1) ?? 0],
    ...[function_lines.length, quantile(function_lines, 0.9), function_lines.at(-1) ?? 0],
    ((casts * 1000) / Math.max(lines, 1)).toFixed(1),
  ].map(String);
}

/** The smallest number that at least this share of the numbers does not exceed; 0 without numbers. */
function quantile(numbers: readonly number[], share: number): number {
  return numbers[Math.max(0, Math.ceil(numbers.length * share) - 1)] ?? 0;
}

function pad(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}
