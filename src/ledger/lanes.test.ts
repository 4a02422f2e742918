import { describe, expect, test } from "bun:test";
import type { AdmitOp, ProgressOp, SettleOp, VoidOp } from "../core/ledger/ledger.ts";
import { ledgerInLanes } from "./lanes.ts";
import type { Ledger } from "./ledger.ts";

/** Ledgers that write down what they are asked for, under their names. */
function scene(names: readonly string[]) {
  const asked: string[] = [];
  const homes = new Map<string, number>();
  const lanes = names.map((name) => {
    const note = (op: { readonly op: string; readonly request_id: string }) => {
      asked.push(`${name} ${op.op} ${op.request_id}`);
    };
    return { admit: note, settle: note, void: note, extend: note, progress: note } as unknown as Ledger;
  });
  return { asked, homes, ledger: ledgerInLanes(lanes, (account_id) => homes.get(account_id) ?? 0) };
}

const of = <Op>(op: string, request_id: string): Op => ({ op, request_id, account_id: "a" }) as Op;

describe("what follows an admission", () => {
  test.each([
    ["the account is known elsewhere now", (homes: Map<string, number>) => homes.set("a", 0)],
    ["its place was forgotten", (homes: Map<string, number>) => homes.delete("a")],
  ])("goes to the ledger that has its hold where %s", (_when, change) => {
    const { asked, homes, ledger } = scene(["directory", "north", "south"]);
    homes.set("a", 1);
    for (const id of ["r1", "r2"]) ledger.admit(of<AdmitOp>("admit", id));
    change(homes);
    ledger.progress(of<ProgressOp>("progress", "r1"));
    ledger.settle(of<SettleOp>("settle", "r1"));
    void ledger.void(of<VoidOp>("void", "r2"));
    ledger.admit(of<AdmitOp>("admit", "r3"));
    expect(asked).toEqual([
      ...["north admit r1", "north admit r2", "north progress r1", "north settle r1", "north void r2"],
      "directory admit r3",
    ]);
  });

  test("goes to the ledger of the later admission, where the first was told that its key has moved", () => {
    const { asked, homes, ledger } = scene(["directory", "north"]);
    ledger.admit(of<AdmitOp>("admit", "r1"));
    homes.set("a", 1);
    ledger.admit(of<AdmitOp>("admit", "r1"));
    homes.delete("a");
    ledger.settle(of<SettleOp>("settle", "r1"));
    expect(asked).toEqual(["directory admit r1", "north admit r1", "north settle r1"]);
  });

  test("goes by the account where the admission is not remembered any more, and after an end", () => {
    const { asked, homes, ledger } = scene(["directory", "north"]);
    ledger.admit(of<AdmitOp>("admit", "r1"));
    for (let other = 0; other < 200_000; other += 1) ledger.admit(of<AdmitOp>("admit", `other ${other}`));
    homes.set("a", 1);
    ledger.settle(of<SettleOp>("settle", "r1"));
    ledger.settle(of<SettleOp>("settle", "other 199999"));
    ledger.settle(of<SettleOp>("settle", "other 199999"));
    expect(asked.slice(-3)).toEqual(["north settle r1", "directory settle other 199999", "north settle other 199999"]);
  });
});
