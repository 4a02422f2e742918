import { insertEach, sqlFor } from "../../src/store/sql/statement.ts";
import { rows, type Work } from "../../src/store/sql/work.ts";
import type { Draw } from "./draw.ts";
import type { Caller } from "./draw-call.ts";
import { drawKeyTags } from "./draw-tags.ts";

/** So much that nobody runs out: a million units for each account. */
const CREDIT_MICRO = 1_000_000_000_000;
const KEYS = 2;

const insertAccounts = insertEach(
  "accounts",
  { id: "text", email: "text", email_key: "text", name: "text", created_ms: "bigint" },
  {
    constants: {
      status: "'active'",
      balance_micro: String(CREDIT_MICRO),
      held_micro: "0",
      posted_micro: String(CREDIT_MICRO),
      entry_count: "1",
    },
  },
);
const insertCredits = insertEach(
  "entries",
  { account_id: "text", created_ms: "bigint" },
  {
    constants: {
      ...{ seq: "1", kind: "'credit'", note: "'fill'", actor: "'fill'" },
      ...{ amount_micro: String(CREDIT_MICRO), posted_after_micro: String(CREDIT_MICRO) },
    },
  },
);
const insertKeys = insertEach(
  "keys",
  { id: "text", account_id: "text", name: "text", hash: "text", hint: "text", created_ms: "bigint" },
  { constants: { status: "'active'", version: "1", aliases: "'[]'", prefix_aliases: "'[]'" } },
);
const STATELESS = "FROM keys WHERE id NOT IN (SELECT key_id FROM key_state)";
const insertStates = sqlFor({
  sqlite: `INSERT INTO key_state (key_id, held_micro, spent_micro) SELECT id, 0, 0 ${STATELESS}`,
  postgres: `INSERT INTO key_state (key_account_id, key_id, held_micro, spent_micro) SELECT account_id, id, 0, 0 ${STATELESS}`,
});

const insertTags = insertEach("key_tags", { key_id: "text", name: "text", value: "text" });

export interface CallerOptions {
  readonly accounts: number;
  readonly at_ms: number;
  readonly with_tags: boolean;
}

/** Makes accounts with credit and two keys each, as they were at a moment. */
export function* makeCallers(draw: Draw, options: CallerOptions): Work<readonly Caller[]> {
  const { accounts, at_ms, with_tags } = options;
  const ids = Array.from({ length: accounts }, () => `acct_${draw.text(22)}`);
  const callers = ids.flatMap((account_id) =>
    Array.from({ length: KEYS }, () => ({ account_id, key_id: `key_${draw.text(22)}` })),
  );
  yield* rows(
    insertAccounts,
    ids.map((id, at) => {
      const email = `${id.slice(5).toLowerCase()}@example.com`;
      return [id, email, email, `Account ${at + 1}`, at_ms];
    }),
  );
  yield* rows(
    insertCredits,
    ids.map((id) => [id, at_ms]),
  );
  yield* rows(
    insertKeys,
    callers.map(({ account_id, key_id }, at) => [key_id, account_id, `Key ${at + 1}`, draw.text(43), "fill", at_ms]),
  );
  yield* rows(insertStates);
  if (with_tags) {
    const tagged = callers.flatMap(({ key_id }) =>
      Object.entries(drawKeyTags(draw)).map(([name, value]) => [key_id, name, value]),
    );
    yield* rows(insertTags, tagged);
  }
  return callers;
}
