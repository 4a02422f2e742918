import { parseSync } from "vite";

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

/**
 * The text of a module in which every function evaluates `mark`, an expression, before its first statement. Lines keep their
 * numbers. Throws for text that is no TypeScript.
 */
export function markFunctions(text: string, path: string, mark: string): string {
  const { program, errors } = parseSync(path, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path} cannot be parsed: ${error.message}`);
  const insertions: { readonly at: number; readonly text: string }[] = [];
  for (const body of isNode(program) ? functionBodies(program) : []) {
    if (body.type === "BlockStatement" || body.type === "FunctionBody") {
      insertions.push({ at: body.start + 1, text: ` ${mark};` });
    } else {
      insertions.push({ at: body.start, text: `(${mark},` }, { at: body.end, text: ")" });
    }
  }
  let marked = "";
  let from = 0;
  // Where two functions end at one position, their brackets are the same: the order among equals does not matter.
  for (const { at, text: inserted } of insertions.sort((one, other) => one.at - other.at)) {
    marked += text.slice(from, at) + inserted;
    from = at;
  }
  return marked + text.slice(from);
}

/** The bodies of all functions, methods and arrows: a block each, or an arrow's expression. Declarations have none. */
function* functionBodies(node: SyntaxNode): Iterable<SyntaxNode> {
  if (/^(Function(Declaration|Expression)|ArrowFunctionExpression)$/.test(node.type) && isNode(node.body))
    yield node.body;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield* functionBodies(child);
  }
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
