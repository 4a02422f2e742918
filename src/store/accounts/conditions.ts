import { PAIRS } from "../sql/pairs.ts";
import { type Statement, sqlFor, type Value } from "../sql/statement.ts";

/** The conditions of a `WHERE` clause. A condition whose parameters are not given is left out. */
export class Conditions {
  readonly params: Value[] = [];
  readonly #conditions: string[] = [];

  /** Adds a condition with its parameters, unless one of them is not given. */
  and(condition: string, ...params: readonly (Value | undefined)[]): void {
    const given = params.filter((param) => param !== undefined && param !== null);
    if (given.length < params.length) return;
    this.#conditions.push(condition);
    this.params.push(...given);
  }

  always(condition: string): void {
    this.#conditions.push(condition);
  }

  /** The clause with its keyword; empty without conditions. */
  get text(): string {
    return this.#conditions.length === 0 ? "" : ` WHERE ${this.#conditions.join(" AND ")}`;
  }
}

const statements = new Map<string, Statement>();

/**
 * The words for which the two dialects have different texts. `{pairs}`: a parameter with pairs of numbers (sql/pairs.ts). `{list}`: one with texts, as a JSON array.
 * `{among}` … `{end}`: the column has one of the values that a query finds; PostgreSQL asks that of each part of a union, for which it must be an array.
 * `{then}`: a join whose order SQLite must keep. `{days}`: usage of all accounts joined with pairs of days `p`, in SQLite account by account, as
 * its table is ordered, and in PostgreSQL from the first to the last of the days along their index. `{periods}`: a parameter with stretches of time, as
 * rows of `p` with their place in the list. `{postgres: …}`: what only PostgreSQL is asked.
 */
const WORDS: Readonly<Record<string, readonly [sqlite: string, postgres: string]>> = {
  "{pairs}": [PAIRS.sqlite, PAIRS.postgres],
  "{list}": ["SELECT value FROM json_each(?)", "SELECT jsonb_array_elements_text(?::text::jsonb)"],
  "{among}": ["IN (", "= ANY(ARRAY("],
  "{end}": [")", "))"],
  "{then}": ["CROSS JOIN", "JOIN"],
  "{periods}": [
    "(SELECT key AS period, value ->> 0 AS start, value ->> 1 AS stop FROM json_each(?)) AS p",
    `(SELECT n - 1 AS period, (v->>0)::bigint AS start, (v->>1)::bigint AS stop
      FROM jsonb_array_elements(?::text::jsonb) WITH ORDINALITY AS each(v, n)) AS p`,
  ],
  "{days}": [
    "CROSS JOIN accounts AS each CROSS JOIN usage_days AS u ON u.account_id = each.id AND",
    "JOIN usage_days AS u ON u.day >= p.least AND u.day <= p.most AND",
  ],
};

function inDialect(text: string, at: 0 | 1): string {
  const own = text.replace(/\{postgres: ([^}]*)\}/g, at === 1 ? "$1" : "");
  return own.replace(/\{\w+\}/g, (word) => WORDS[word]?.[at] ?? word);
}

/** The statement with this text, made at its first use. Statements are kept, so the number of different texts must be small. */
export function statementOf(text: string): Statement {
  const known = statements.get(text);
  if (known !== undefined) return known;
  const statement = sqlFor({ sqlite: inDialect(text, 0), postgres: inDialect(text, 1) });
  statements.set(text, statement);
  return statement;
}
