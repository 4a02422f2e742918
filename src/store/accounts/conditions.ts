import { type Statement, sql, type Value } from "../sql/statement.ts";

/** The conditions of a `WHERE`, as far as their parameters are given. */
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

  /** Adds a condition without parameters. */
  always(condition: string): void {
    this.#conditions.push(condition);
  }

  /** With its keyword; empty without conditions. */
  get text(): string {
    return this.#conditions.length === 0 ? "" : ` WHERE ${this.#conditions.join(" AND ")}`;
  }
}

const statements = new Map<string, Statement>();

/** One statement for each combination of conditions, made when it is first asked for. The texts must be few. */
export function statementOf(text: string): Statement {
  const statement = statements.get(text) ?? sql(text);
  statements.set(text, statement);
  return statement;
}
