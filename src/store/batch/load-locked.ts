import type { BookOp } from "../../ledger/books/book-op.ts";
import { missingRows } from "../../ledger/books/missing-rows.ts";
import type { WorkingSet } from "../../ledger/books/working-set.ts";
import { arrayText } from "../sql/array-text.ts";
import type { ClockRow } from "../sql/clock.ts";
import { lookup, onPostgres, partLookup, type Statement } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { rows, step, together, type Work } from "../sql/work.ts";
import {
  addAccounts,
  addIdempotency,
  addProjects,
  addRecovered,
  addRequests,
  addRules,
  addTagDays,
  emptyWorkingSet,
  idempotencyParams,
  selectIdempotency,
  singles,
} from "./load-working-set.ts";
import * as rowsOf from "./read-rows.ts";

export interface RequestOwner {
  readonly account_id: string;
  readonly key_id: string;
}

/** The owner of a request, where it is known without asking the database: it never changes. */
export type OwnerOf = (request_id: string) => RequestOwner | undefined;

const ACCOUNTS = `SELECT ${rowsOf.ACCOUNT_COLUMNS} FROM accounts`;
const LOCKED = "ORDER BY id FOR NO KEY UPDATE";
const ownersOf = (column: string): string =>
  `UNION SELECT ${column} FROM unnest($2::text::text[]) AS asked (asked_id) JOIN requests ON requests.id = asked_id`;

// In the order of ids, so that two gateways never wait for each other in a circle.
const lockAccounts = onPostgres(`${ACCOUNTS} WHERE id = ANY($1::text::text[]) ${LOCKED}`);
const lockAccountsConcerned = onPostgres(
  `${ACCOUNTS} WHERE id IN (SELECT unnest($1::text::text[]) ${ownersOf("account_id")}) ${LOCKED}`,
);

/**
 * The database's clock, and the keys with their states: at least one row. It runs behind the locks, so no batch of an account has an
 * earlier time than the batch before it.
 */
function clockAndKeys(which: string): Statement {
  return onPostgres(`SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS now_ms, concerned.*
    FROM (VALUES (1)) AS always LEFT JOIN (
      SELECT ${rowsOf.KEY_COLUMNS}, ${rowsOf.KEY_STATE_COLUMNS} FROM keys JOIN key_state ON key_account_id = account_id AND key_id = id WHERE id ${which}
    ) AS concerned ON true`);
}

const selectClockAndKeys = clockAndKeys("= ANY($1::text::text[])");
const selectClockAndKeysConcerned = clockAndKeys(`IN (SELECT unnest($1::text::text[]) ${ownersOf("key_id")})`);

interface ClockAndKeyRow extends ClockRow, rowsOf.KeyStateRow, Omit<rowsOf.KeyRow, "id"> {
  readonly id: string | null;
}

// Nearly all requests of a batch are running: they are looked for first, and not among the many that have ended.
const REQUESTS = `SELECT ${rowsOf.REQUEST_STATE_COLUMNS} FROM requests`;
const selectRunning = lookup(REQUESTS, { id: "text" }, { and: "status = 'held'" });
const selectEnded = partLookup(REQUESTS, ["id", "text"], { and: "status <> 'held'" });

/**
 * A working set with the rows that a batch concerns, on PostgreSQL. The accounts are locked first: every change of an account
 * holds its lock, so the rows that are read after it cannot change before the commit.
 */
export function* loadLocked(ops: readonly BookOp[], ownerOf: OwnerOf = () => undefined): Work<WorkingSet> {
  const missing = missingRows(ops, emptyWorkingSet(0));
  const unknown: string[] = [];
  for (const request_id of missing.requests) {
    const owner = ownerOf(request_id);
    if (owner === undefined) unknown.push(request_id);
    else {
      missing.accounts.add(owner.account_id);
      missing.keys.add(owner.key_id);
    }
  }
  const concerned = (ids: ReadonlySet<string>): string[] =>
    unknown.length === 0 ? [arrayText(ids)] : [arrayText(ids), arrayText(unknown)];
  // In one round trip: the server runs the statements one after the other, so each reads the rows as they are when the locks are given.
  const [accounts, running, idempotency, keys] = yield* together(
    step<rowsOf.AccountRow>(unknown.length === 0 ? lockAccounts : lockAccountsConcerned, concerned(missing.accounts)),
    step<rowsOf.RequestStateRow>(selectRunning, singles(missing.requests)),
    step<rowsOf.IdempotencyRow>(selectIdempotency, idempotencyParams(missing)),
    step<ClockAndKeyRow>(
      unknown.length === 0 ? selectClockAndKeys : selectClockAndKeysConcerned,
      concerned(missing.keys),
    ),
  );
  const working = emptyWorkingSet(toInt(keys[0]?.now_ms));
  addRequests(working, running);
  const in_projects: { readonly project_id: string | null }[] = [...running];
  if (working.requests.size < missing.requests.size) in_projects.push(...(yield* addEnded(working, missing.requests)));
  addIdempotency(working, idempotency);
  yield* addAccounts(working, accounts);
  for (const each of keys) {
    if (each.id === null) continue;
    working.keys.set(each.id, rowsOf.keyState({ ...each, id: each.id }, each));
    in_projects.push(each);
  }
  // The accounts are locked, and every change of a project's counts locks its account.
  yield* addProjects(working, in_projects);
  yield* addTagDays(working, ops);
  yield* addRules(working, ops);
  return working;
}

function* addEnded(working: WorkingSet, request_ids: ReadonlySet<string>): Work<readonly rowsOf.RequestStateRow[]> {
  const others = [...request_ids].filter((id) => !working.requests.has(id)).map((id) => [id]);
  const ended = yield* rows<rowsOf.RequestStateRow>(selectEnded, others);
  addRequests(working, ended);
  yield* addRecovered(working, ended);
  return ended;
}
