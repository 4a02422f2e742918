import { describe, expect, test } from "bun:test";
import { type Column, planMove, type Schema } from "./plan.ts";
import { MOVED } from "./tables.ts";

const column = (name: string): Column => ({ name, type: "text" });

/** Each table with its key and one more column. */
function schema(change: (tables: Map<string, Column[]>) => void = () => {}): Schema {
  const tables = new Map(
    MOVED.map(({ name, key, made = {} }) => [name, [...key, ...Object.keys(made), "more"].map(column)]),
  );
  change(tables);
  return tables;
}

describe("a plan of a move", () => {
  test("has every table once, with all columns that both databases have", () => {
    const plan = planMove(
      schema((tables) => tables.get("accounts")?.push(column("folded_seq"))),
      schema(),
    );
    expect(plan.map(({ name }) => name)).toEqual(MOVED.map(({ name }) => name));
    expect(plan[0]?.columns.map(({ name }) => name)).toEqual(["id", "more"]);
  });

  const added = (table: string) => (tables: Map<string, Column[]>) => tables.get(table)?.push(column("new"));
  const cases = [
    {
      what: "a table without a rule",
      source: schema((tables) => tables.set("new", [column("id")])),
      target: schema(),
      told: "The database has tables that this version cannot move: new.",
    },
    {
      what: "a column of the file alone",
      source: schema(added("keys")),
      target: schema(),
      told: "tables keys differ in new",
    },
    {
      what: "a column of the server alone",
      source: schema(),
      target: schema(added("keys")),
      told: "tables keys differ in new",
    },
    {
      what: "a table that is missing",
      source: schema((tables) => tables.delete("texts")),
      target: schema(),
      told: "the tables texts differ in no, more",
    },
  ];
  for (const { what, source, target, told } of cases) {
    test(`is refused for ${what}`, () => {
      expect(() => planMove(source, target)).toThrow(told);
    });
  }
});
