import type { AuditFinding, AuditOptions, AuditReport } from "../../core/ledger/books-audit.ts";
import type { Books, DatabaseFacts } from "../../core/store/books.ts";
import { auditPlaces, type CellPlaces, cellAway, mergeAudits } from "../audit/audit-places.ts";

/** A cell's books, or why they cannot be read. */
export interface CellBooks {
  readonly name: string;
  readonly books: Books | { readonly problem: string };
}

/** The books of a directory and its cells, read as one: what a gateway with these cells would be told, and the audit of all. */
export function booksInCells(directory: Books, cells: readonly CellBooks[]): Books {
  const open = cells.flatMap(({ name, books }) => ("problem" in books ? [] : [{ name, books }]));
  return {
    ...directory,
    description: [directory.description, ...cells.map(({ name }) => `cell ${name}`)].join(", "),
    facts: () => factsOf(directory, cells),
    audit: (options) => audit(directory, cells, options),
    async close() {
      await Promise.all([directory.close(), ...open.map(({ books }) => books.close())]);
    },
  };
}

async function factsOf(directory: Books, cells: readonly CellBooks[]): Promise<DatabaseFacts> {
  const own = await directory.facts();
  const others = await Promise.all(
    cells.map(async ({ name, books }) => ({ name, facts: "problem" in books ? books : await books.facts() })),
  );
  const lacks = others.flatMap(({ name, facts }) => {
    if ("problem" in facts) return [`Cell ${name}: ${facts.problem}`];
    const { schema_version, known_version } = facts;
    const is_newer = schema_version > known_version ? ["a newer Camino made its tables."] : [];
    return [...is_newer, ...facts.lacks].map((text) => `Cell ${name}: ${text}`);
  });
  const conditions = others.flatMap(({ name, facts }) =>
    "problem" in facts ? [] : facts.conditions.map((text) => `Cell ${name}: ${text}`),
  );
  return { ...own, lacks: [...own.lacks, ...lacks], conditions: [...own.conditions, ...conditions] };
}

/** Audits every cell, and whether each account is where the directory says. One account is found in its own cell alone. */
async function audit(directory: Books, cells: readonly CellBooks[], options: AuditOptions = {}): Promise<AuditReport> {
  const parts = [await directory.audit(options)];
  const findings: AuditFinding[] = [];
  const places: CellPlaces[] = [];
  for (const { name, books } of cells) {
    if ("problem" in books) {
      findings.push(cellAway({ name }));
      continue;
    }
    const has_tables = (await books.facts()).schema_version > 0;
    if (!has_tables) continue;
    parts.push(await books.audit(options));
    if (books.places !== undefined) places.push({ name, places: books.places });
  }
  const is_whole = options.account_id === undefined && findings.length === 0;
  const known = is_whole ? directory.places : undefined;
  const misplaced = known === undefined ? { findings, more: 0 } : await auditPlaces(known, places);
  const report = mergeAudits(parts, misplaced);
  // The directory's row of an account that lives elsewhere is no account by itself.
  return options.account_id === undefined ? report : { ...report, accounts: Math.min(1, report.accounts) };
}
