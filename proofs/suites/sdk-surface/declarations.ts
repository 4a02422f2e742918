import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type ESTree, parseSync } from "vite";

/** The type declarations of packages: names are found where TypeScript would find them. */

export type TypeDeclaration = ESTree.TSInterfaceDeclaration | ESTree.TSTypeAliasDeclaration;

/** A place in which names are looked up: a file, and the namespaces within it, outermost first. */
export interface Scope {
  readonly file: string;
  readonly namespaces: readonly string[];
}

export interface Found {
  readonly declaration: TypeDeclaration;
  readonly scope: Scope;
  /** The name in its file, with its namespaces. */
  readonly name: string;
}

interface Declared {
  readonly types: Map<string, Omit<Found, "name">>;
  /** A name that stands for a file, or for a name of a file. */
  readonly imported: Map<string, { readonly file: string; readonly name: string | null }>;
  readonly everything_of: string[];
}

const files = new Map<string, Declared>();

/** The declaration that a name, with dots, stands for in a scope; null for a name that is not declared (of the language itself). */
export function findDeclaration(name: string, { file, namespaces }: Scope): Found | null {
  for (let depth = namespaces.length; depth >= 0; depth--) {
    const found = inFile([...namespaces.slice(0, depth), name].join("."), file);
    if (found !== null) return found;
  }
  return null;
}

function inFile(name: string, file: string): Found | null {
  const declared = declaredIn(file);
  const own = declared.types.get(name);
  if (own !== undefined) return { ...own, name };
  const [first = "", ...rest] = name.split(".");
  const from = declared.imported.get(first);
  if (from !== undefined) {
    const path = [...(from.name === null ? [] : [from.name]), ...rest].join(".");
    return from.file === file && path === name ? null : inFile(path, from.file);
  }
  for (const other of declared.everything_of) {
    const found = inFile(name, other);
    if (found !== null) return found;
  }
  return null;
}

function declaredIn(file: string): Declared {
  let declared = files.get(file);
  if (declared === undefined) {
    declared = { types: new Map(), imported: new Map(), everything_of: [] };
    files.set(file, declared);
    const { program, errors } = parseSync(file, readFileSync(file, "utf8"));
    if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
    for (const statement of program.body) readStatement(statement, { file, namespaces: [] }, declared);
  }
  return declared;
}

function readStatement(statement: ESTree.Statement, scope: Scope, declared: Declared): void {
  switch (statement.type) {
    case "TSInterfaceDeclaration":
    case "TSTypeAliasDeclaration":
      declared.types.set([...scope.namespaces, statement.id.name].join("."), { declaration: statement, scope });
      return;
    case "TSModuleDeclaration":
      if (statement.id.type !== "Identifier" || statement.body?.type !== "TSModuleBlock") return;
      for (const inner of statement.body.body)
        readStatement(inner, { ...scope, namespaces: [...scope.namespaces, statement.id.name] }, declared);
      return;
    case "ImportDeclaration":
      for (const { local, ...specifier } of statement.specifiers) {
        const name = specifier.type === "ImportSpecifier" ? nameOf(specifier.imported) : null;
        importFrom({ local: local.name, name, source: statement.source.value }, scope.file, declared);
      }
      return;
    case "ExportAllDeclaration": {
      const other = resolveFile(scope.file, statement.source.value);
      if (other !== null) declared.everything_of.push(other);
      return;
    }
    case "ExportNamedDeclaration":
      if (statement.declaration !== null) readStatement(statement.declaration, scope, declared);
      if (statement.source === null || scope.namespaces.length > 0) return;
      for (const { local, exported } of statement.specifiers)
        importFrom(
          { local: nameOf(exported), name: nameOf(local), source: statement.source.value },
          scope.file,
          declared,
        );
      return;
    default:
      return;
  }
}

function importFrom(
  { local, name, source }: { local: string; name: string | null; source: string },
  file: string,
  { imported }: Declared,
): void {
  const from = resolveFile(file, source);
  if (from !== null) imported.set(local, { file: from, name });
}

function nameOf(name: ESTree.ModuleExportName): string {
  return name.type === "Literal" ? name.value : name.name;
}

/** The file of declarations beside a module; null for a module of another package. */
function resolveFile(file: string, source: string): string | null {
  if (!source.startsWith(".")) return null;
  const path = join(dirname(file), source.replace(/\.m?js$/, ""));
  return [`${path}.d.ts`, join(path, "index.d.ts")].find(existsSync) ?? null;
}
