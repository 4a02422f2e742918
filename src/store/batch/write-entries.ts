import { TOP_UP_ACTOR, TOP_UP_NOTE } from "../../ledger/books/top-up.ts";
import type { WorkingSet } from "../../ledger/books/working-set.ts";
import { type Columns, insertEach, type Value } from "../sql/statement.ts";
import type { AddStep } from "../sql/work.ts";

const ENTRY = {
  account_id: "text",
  seq: "bigint",
  amount_micro: "bigint",
  posted_after_micro: "bigint",
  created_ms: "bigint",
} as const satisfies Columns;

/** The charge of a request, which the request's row names; it has no actor (docs/design/storage.md). */
const insertCharges = insertEach(
  "entries",
  { ...ENTRY, request_id: "text" },
  { constants: { kind: "'charge'", note: "''", actor: "''" } },
);
const insertTopUps = insertEach("entries", ENTRY, {
  constants: { kind: "'credit'", note: `'${TOP_UP_NOTE}'`, actor: `'${TOP_UP_ACTOR}'` },
});

const insertCorrections = insertEach(
  "entries",
  { ...ENTRY, note: "text", corrects_seq: "bigint" },
  { constants: { kind: "'correction'", actor: "'gateway'" } },
);

/**
 * Inserts new entries in their order, which their sums depend on. Charges, top-ups and corrections have a statement each, so a
 * run of entries of one kind is a step.
 */
export function addEntries({ entries }: WorkingSet, add: AddStep): void {
  let run: Value[][] = [];
  let kind = insertCharges;
  for (const { account_id, seq, amount_micro, posted_after_micro, created_ms, request_id, correction } of entries) {
    const statement = request_id !== null ? insertCharges : correction === undefined ? insertTopUps : insertCorrections;
    if (statement !== kind) {
      add(kind, run);
      run = [];
      kind = statement;
    }
    const row: Value[] = [account_id, seq, amount_micro, posted_after_micro, created_ms];
    if (request_id !== null) row.push(request_id);
    else if (correction !== undefined) row.push(correction.note, correction.corrects_seq);
    run.push(row);
  }
  add(kind, run);
}
