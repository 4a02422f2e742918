import { type AuditFinding, type AuditReport, describeFinding } from "../../core/ledger/books-audit.ts";
import { type AccountPlaces, DIRECTORY, type PlacedAccount } from "../../core/store/cells.ts";
import type { AccountStore } from "../../core/store/ports.ts";
import { finding } from "./finding.ts";

export interface CellPlaces extends AccountPlaces {
  readonly name: string;
}

/** How old an account is whose making in its cell is not under way any more. */
const MADE_MS = 60_000;

/**
 * Each account lives in one cell alone, the one that the directory names: no cell has an account that the directory does not send there, and none
 * lacks one that it sends there. The cells are read before the directory, whose row of a new account comes first.
 */
export function auditPlaces(
  directory: AccountPlaces,
  others: readonly CellPlaces[],
  now_ms = Date.now(),
): AuditFinding[] {
  const places = new Map(directory.elsewhere.map((place) => [place.id, place]));
  const unknown = directory.elsewhere.filter(({ cell }) => others.every(({ name }) => name !== cell));
  return [
    ...unknown.map(({ id, cell }) => misplaced(id, "no such cell is configured", cell)),
    ...others.flatMap((cell) => auditCell(cell, places, now_ms - MADE_MS)),
  ];
}

/** Reads the places that the accounts' port of a store knows. */
export async function placesOf(accounts: Pick<AccountStore, "listAccounts" | "placesAfter">): Promise<AccountPlaces> {
  const here = (await accounts.listAccounts()).map(({ id }) => id);
  const elsewhere: PlacedAccount[] = [];
  for (let after = ""; ; ) {
    const page = await accounts.placesAfter(after);
    elsewhere.push(...page);
    const last = page.at(-1);
    if (last === undefined) return { here, elsewhere };
    after = last.id;
  }
}

function auditCell(
  { name, ...cell }: CellPlaces,
  places: ReadonlyMap<string, PlacedAccount>,
  made_until_ms: number,
): AuditFinding[] {
  const here = new Set(cell.here);
  const strangers = cell.here.filter((id) => places.get(id)?.cell !== name);
  const own = [...places.values()].filter((place) => place.cell === name && place.created_ms <= made_until_ms);
  return [
    ...strangers.map((id) => misplaced(id, name, places.get(id)?.cell ?? DIRECTORY)),
    ...own.filter(({ id }) => !here.has(id)).map(({ id }) => misplaced(id, `no account in ${name}`, name)),
  ];
}

function misplaced(account_id: string, found: string, expected: string): AuditFinding {
  return finding("place", { account_id }, "the account's books are not in the cell alone that the directory names", {
    found,
    expected,
  });
}

/** What stands in an audit in place of a cell that could not be asked: then nothing is said of the places either. */
export function cellAway({ name }: { readonly name: string }): AuditFinding {
  const values = { found: "no answer", expected: "its books" };
  return finding("place", {}, `the cell ${name} is away and was not audited`, values);
}

export function mergeAudits(parts: readonly AuditReport[], more: readonly AuditFinding[]): AuditReport {
  const findings = [...more, ...parts.flatMap((part) => part.findings)];
  const sum = (of: (part: AuditReport) => number): number => parts.reduce((all, part) => all + of(part), 0);
  return {
    accounts: sum(({ accounts }) => accounts),
    entries: sum(({ entries }) => entries),
    requests: sum(({ requests }) => requests),
    days: sum(({ days }) => days),
    started_ms: Math.min(...parts.map(({ started_ms }) => started_ms)),
    ended_ms: Math.max(...parts.map(({ ended_ms }) => ended_ms)),
    findings,
    more: sum((part) => part.more),
    problems: findings.map(describeFinding),
    kept_since_ms: Math.max(...parts.map(({ kept_since_ms }) => kept_since_ms)),
  };
}
