import { parseSync } from "vite";

/** A node of the syntax tree; which members it has depends on its type. */
interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

/** A text that is put in at a position. */
interface Insertion {
  readonly at: number;
  readonly text: string;
  readonly closes: boolean;
}

/** The global that instrumented code calls with a block's number, at the beginning of the block. */
export const HOOK = "__reached";

/**
 * The text of a module in which every function, branch, loop, case, and right side of a logical operator reports that it runs.
 * Nothing else changes, and lines keep their numbers. `module` goes into the blocks' numbers, which should differ between modules.
 * Throws for text that is no TypeScript.
 */
export function instrument(text: string, path: string, module: number): string {
  const { program, errors } = parseSync(path, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path} cannot be parsed: ${error.message}`);
  const insertions = new Insertions(module);
  if (isNode(program)) walk(program, insertions);
  return insertions.putInto(text);
}

class Insertions {
  readonly #all: Insertion[] = [];
  readonly #module: number;
  #blocks = 0;

  constructor(module: number) {
    this.#module = module;
  }

  /** A block in braces, or a case: the call is its first statement. */
  at(position: number): void {
    this.#all.push({ at: position, text: ` ${this.#call()};`, closes: false });
  }

  around({ start, end }: SyntaxNode, kind: "statement" | "expression"): void {
    const [before, after] = kind === "statement" ? [`{${this.#call()};`, "}"] : [`(${this.#call()},`, ")"];
    this.#all.push({ at: start, text: before, closes: false }, { at: end, text: after, closes: true });
  }

  /** At one position what ends there is closed, the inner before the outer; then the outer is opened before the inner. */
  putInto(text: string): string {
    const sorted = this.#all
      .map((each, order) => ({ ...each, rank: each.closes ? -order - 1 : order }))
      .sort((one, other) => one.at - other.at || one.rank - other.rank);
    let made = "";
    let from = 0;
    for (const { at, text: put_in } of sorted) {
      made += text.slice(from, at) + put_in;
      from = at;
    }
    return made + text.slice(from);
  }

  /** Numbers are spread over 16 bits, so that two edges seldom share a place in the map. */
  #call(): string {
    this.#blocks += 1;
    return `${HOOK}(${(Math.imul(this.#module * 4099 + this.#blocks, 0x9e3779b1) >>> 16) & 0xffff})`;
  }
}

function walk(node: SyntaxNode, insertions: Insertions): void {
  note(node, insertions);
  for (const value of Object.values(node)) {
    if (isNode(value)) walk(value, insertions);
    else if (Array.isArray(value)) for (const item of value) if (isNode(item)) walk(item, insertions);
  }
}

function note(node: SyntaxNode, insertions: Insertions): void {
  switch (node.type) {
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return noteBody(node.body, insertions, "expression");
    case "IfStatement":
      noteBody(node.consequent, insertions, "statement");
      return noteBody(node.alternate, insertions, "statement");
    case "ForStatement":
    case "ForInStatement":
    case "ForOfStatement":
    case "WhileStatement":
    case "DoWhileStatement":
    case "CatchClause":
      return noteBody(node.body, insertions, "statement");
    case "SwitchCase": {
      const [first] = Array.isArray(node.consequent) ? node.consequent : [];
      return isNode(first) ? insertions.at(first.start) : undefined;
    }
    case "ConditionalExpression":
      noteBody(node.consequent, insertions, "expression");
      return noteBody(node.alternate, insertions, "expression");
    case "LogicalExpression":
      return noteBody(node.right, insertions, "expression");
  }
}

/** Something that runs or does not: a block, a single statement, an expression. Overloads and declarations have none. */
function noteBody(body: unknown, insertions: Insertions, kind: "statement" | "expression"): void {
  if (!isNode(body)) return;
  if (body.type === "BlockStatement" || body.type === "FunctionBody") insertions.at(body.start + 1);
  else insertions.around(body, kind);
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
