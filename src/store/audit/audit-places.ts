import { type AuditFinding, type AuditReport, describeFinding } from "../../core/ledger/books-audit.ts";
import { type AccountPlaces, DIRECTORY, type PlacedAccount } from "../../core/store/cells.ts";
import { finding } from "./finding.ts";

export interface CellPlaces {
  readonly name: string;
  readonly places: AccountPlaces;
}

export interface PlaceFindings {
  readonly findings: readonly AuditFinding[];
  readonly more: number;
}

/** An account that is older than this is no longer being made in its cell. */
const MADE_MS = 60_000;
const SHOWN_AT_MOST = 100;

/**
 * Each account lives in one cell alone, the one that the directory names: no cell has an account that the directory does not send there, and none
 * lacks one that it sends there. Of each part of the ids a cell is read before the directory, whose row of a new account comes first.
 */
export async function auditPlaces(
  directory: AccountPlaces,
  others: readonly CellPlaces[],
  now_ms = Date.now(),
): Promise<PlaceFindings> {
  const findings: AuditFinding[] = [];
  let more = 0;
  const note = (found: AuditFinding): void => {
    if (findings.length < SHOWN_AT_MOST) findings.push(found);
    else more += 1;
  };
  for await (const { id, cell } of placesBetween(directory, "", null))
    if (others.every(({ name }) => name !== cell)) note(misplaced(id, "no such cell is configured", cell));
  for (const cell of others) for await (const found of auditCell(directory, cell, now_ms - MADE_MS)) note(found);
  return { findings, more };
}

async function* auditCell(
  directory: AccountPlaces,
  { name, places }: CellPlaces,
  made_until_ms: number,
): AsyncGenerator<AuditFinding> {
  for (let after = ""; ; ) {
    const here = await places.accountsAfter(after);
    const last = here.at(-1) ?? null;
    const known = new Map(here.map((id) => [id, DIRECTORY]));
    for await (const { id, cell, created_ms } of placesBetween(directory, after, last)) {
      if (known.has(id)) known.set(id, cell);
      else if (cell === name && created_ms <= made_until_ms) yield misplaced(id, `no account in ${name}`, name);
    }
    for (const [id, cell] of known) if (cell !== name) yield misplaced(id, name, cell);
    if (last === null) return;
    after = last;
  }
}

/** What the directory says of the ids behind one, up to another or (null) to the last. */
async function* placesBetween(
  directory: AccountPlaces,
  after_id: string,
  last: string | null,
): AsyncGenerator<PlacedAccount> {
  for (let after = after_id; ; ) {
    const page = await directory.placesAfter(after);
    for (const place of page) {
      if (last !== null && place.id > last) return;
      yield place;
    }
    const end = page.at(-1);
    if (end === undefined) return;
    after = end.id;
  }
}

function misplaced(account_id: string, found: string, expected: string): AuditFinding {
  return finding("place", { account_id }, "the account's books are not in the cell alone that the directory names", {
    found,
    expected,
  });
}

/** The finding for a cell that could not be audited. Where there is one, the places of accounts are not compared either. */
export function cellAway({ name }: { readonly name: string }): AuditFinding {
  const values = { found: "no answer", expected: "its books" };
  return finding("place", {}, `the cell ${name} is away and was not audited`, values);
}

export function mergeAudits(parts: readonly AuditReport[], places: PlaceFindings): AuditReport {
  const findings = [...places.findings, ...parts.flatMap((part) => part.findings)];
  const sum = (of: (part: AuditReport) => number): number => parts.reduce((all, part) => all + of(part), 0);
  return {
    accounts: sum(({ accounts }) => accounts),
    entries: sum(({ entries }) => entries),
    requests: sum(({ requests }) => requests),
    days: sum(({ days }) => days),
    started_ms: Math.min(...parts.map(({ started_ms }) => started_ms)),
    ended_ms: Math.max(...parts.map(({ ended_ms }) => ended_ms)),
    findings,
    more: places.more + sum((part) => part.more),
    problems: findings.map(describeFinding),
    kept_since_ms: Math.max(...parts.map(({ kept_since_ms }) => kept_since_ms)),
  };
}
