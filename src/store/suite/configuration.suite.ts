import { describe, expect, test } from "bun:test";
import type { ElementVersion } from "../../core/catalog/configuration-elements.ts";
import { newId } from "../../core/ids.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { rejectionOf, type TestDatabase } from "./books.ts";
import { NOTE } from "./people.ts";

export function configurationSuite(database: () => TestDatabase): void {
  describe("elements of the configuration", () => elementTests(database));
  describe("changes of elements", () => raceTests(database));
}

function elementTests(database: () => TestDatabase): void {
  const { store, change, newest } = helpersOn(database);

  test("have a history, whose newest version is the one that is listed", async () => {
    const id = `acme/${newId("key")}`;
    await change(id, 1, { price: { input: "3.00", output: "15.00" } }, "take-over");
    await change(id, 2, { price: { input: "4.00", output: "15.00" }, context_length: 9 });
    const [listed, ...rest] = await newest(id);
    expect(rest).toEqual([]);
    const { changed_ms, ...told_of } = listed as ElementVersion;
    const value = { price: { input: "4.00", output: "15.00" }, context_length: 9 };
    expect(told_of).toEqual({ kind: "model", id, version: 2, action: "put", value, changed_by: "ann" });
    expect(Math.abs(changed_ms - Date.now())).toBeLessThan(60_000);
    const history = await store().elementHistory({ kind: "model", id }, { limit: 10 });
    expect(history.map(({ version, action }) => [version, action])).toEqual([
      [2, "put"],
      [1, "take-over"],
    ]);
    const older = await store().elementHistory({ kind: "model", id }, { limit: 10, before: 2 });
    expect(older.map(({ version }) => version)).toEqual([1]);
    expect(await store().elementHistory({ kind: "model", id }, { limit: 1 })).toEqual(history.slice(0, 1));
  });

  test("that were dropped keep their versions", async () => {
    const id = `acme/${newId("key")}`;
    await change(id, 1, { price: {} });
    await change(id, 2, null, "delete");
    expect((await newest(id)).map(({ version, value }) => [version, value])).toEqual([[2, null]]);
    expect(await store().elementHistory({ kind: "model", id }, { limit: 10 })).toHaveLength(2);
  });

  test("may be texts, and kinds do not meet", async () => {
    const id = newId("key");
    const revision = await store().elementsRevision();
    const alias = { kind: "alias", id, version: 1, action: "put", value: "acme/swift", changed_by: "ann" } as const;
    await store().changeElement(alias, revision, told(id, 1));
    await change(id, 1, { price: {} });
    expect((await newest(id)).map(({ kind, value }) => [kind, value])).toEqual([
      ["alias", "acme/swift"],
      ["model", { price: {} }],
    ]);
  });
}

function raceTests(database: () => TestDatabase): void {
  const { store, change, newest } = helpersOn(database);

  test("are not changed by whoever has judged an older state, and nothing of that change is left", async () => {
    const id = `acme/${newId("key")}`;
    const revision = await store().elementsRevision();
    await change(id, 1, { price: {} });
    const late = { kind: "model", id, version: 2, action: "put", value: { price: "late" }, changed_by: "bea" } as const;
    expect(await rejectionOf(store().changeElement(late, revision, told(id, 2)))).toBeInstanceOf(StoreConflict);
    expect(await store().elementsRevision()).toBe(revision + 1);
    expect((await newest(id)).map(({ version }) => version)).toEqual([1]);
    const lines = await database().store.users.listAuditEntries({ object_id: id, limit: 10 });
    expect(lines.map(({ after }) => after)).toEqual([{ version: 1 }]);
  });

  test("are changed by one of many that judged the same state at once", async () => {
    const id = `acme/${newId("key")}`;
    const revision = await store().elementsRevision();
    const attempts = ["a", "b", "c", "d"].map((name) =>
      store().changeElement(
        { kind: "model", id, version: 1, action: "put", value: { name }, changed_by: name },
        revision,
        told(id, 1),
      ),
    );
    const outcomes = await Promise.allSettled(attempts);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await store().elementsRevision()).toBe(revision + 1);
    expect(await newest(id)).toHaveLength(1);
  });

  test("survive a crash", async () => {
    const id = `acme/${newId("key")}`;
    await change(id, 1, { price: {} });
    await database().crash();
    expect((await newest(id)).map(({ version }) => version)).toEqual([1]);
  });
}

function told(id: string, version: number) {
  return { ...NOTE, object: { kind: "model", id }, account_id: null, before: null, after: { version } };
}

function helpersOn(database: () => TestDatabase) {
  const store = () => database().store.configuration;
  return {
    store,
    /** Makes a version of a model, judged at the revision of now. */
    change: async (id: string, version: number, value: ElementVersion["value"], action = "put"): Promise<void> => {
      const made = { kind: "model", id, version, action, value, changed_by: "ann" } as const;
      await store().changeElement(made, await store().elementsRevision(), told(id, version));
    },
    newest: async (id: string) => (await store().listElements()).filter((each) => each.id === id),
  };
}
