import { describe, expect, test } from "bun:test";
import { newId } from "../../core/ids.ts";
import { micro } from "../../core/money/money.ts";
import type { AuditNote } from "../../core/people/audit.ts";
import type { UserStore } from "../../core/people/users.ts";
import { newCustomer, newKey, rejectionOf, type TestDatabase } from "./books.ts";
import { NOTE, newUser } from "./people.ts";

export function auditLogSuite(database: () => TestDatabase): void {
  const note: AuditNote = { ...NOTE, actor: { kind: "user", id: newId("user"), name: "ann@example.com" } };
  describe("the audit log", () => {
    writingTests(database, note);
    readingTests(database, note);
  });
}

function writingTests(database: () => TestDatabase, note: AuditNote): void {
  const users = (): UserStore => database().store.users;

  test("tells who did what to which key, how it was and became, and no secret", async () => {
    const customer = await newCustomer(database(), 0);
    const { audited, accounts } = database().store;
    const made = newKey(customer.account.id, { name: "first" });
    await audited({ ...note, action: "key.create" }).createKey(made);
    await audited({ ...note, action: "key.update" }).updateKey(made.id, { name: "second" });
    await audited({ ...note, action: "key.delete" }).deleteKey(made.id);
    await accounts.updateKey(customer.key.id, { name: "unseen" });
    const entries = await users().listAuditEntries({ object_id: made.id, limit: 10 });
    expect(entries.map(({ action, before, after }) => [action, before?.name, after?.name])).toEqual([
      ["key.delete", "second", undefined],
      ["key.update", "first", "second"],
      ["key.create", undefined, "first"],
    ]);
    expect(entries[0]).toMatchObject({
      actor: note.actor,
      object: { kind: "key", id: made.id },
      account_id: customer.account.id,
      address: "::1",
      after: null,
    });
    expect(JSON.stringify(entries)).not.toContain(made.hash);
    expect(await users().listAuditEntries({ object_id: customer.key.id, limit: 10 })).toEqual([]);
  });

  test("has amounts as whole micro units", async () => {
    const customer = await newCustomer(database(), 1000);
    const account_id = customer.account.id;
    const entry = { account_id, kind: "credit", amount_micro: micro(500), note: "gift", actor: "ann" } as const;
    await database()
      .store.audited({ ...note, action: "credit.add" })
      .addEntry(entry);
    const [written] = await users().listAuditEntries({ account_id, limit: 1 });
    expect(written).toMatchObject({
      action: "credit.add",
      before: { balance_micro: 1000 },
      after: { balance_micro: 1500 },
    });
    expect(written?.after?.entry).toEqual({ kind: "credit", amount_micro: 500, note: "gift" });
  });

  test("has nothing of a change that did not take place", async () => {
    const customer = await newCustomer(database(), 0);
    const account_id = customer.account.id;
    const entry = { account_id, kind: "correction", amount_micro: micro(-1), note: "", actor: "ann" } as const;
    await rejectionOf(database().store.audited(note).addEntry(entry));
    expect(await users().listAuditEntries({ account_id, limit: 10 })).toEqual([]);
    expect(await database().store.audited(note).setKeyStatus("key_none", "disabled")).toBeNull();
  });
}

function readingTests(database: () => TestDatabase, note: AuditNote): void {
  const users = (): UserStore => database().store.users;

  test("is read newest first, a page at a time, by actor, noun, action and account", async () => {
    const actor = note.actor.id ?? "";
    const all = await users().listAuditEntries({ actor, limit: 100 });
    expect(all.length).toBeGreaterThanOrEqual(4);
    const seen: string[] = [];
    for (let before_id: string | undefined; ; before_id = seen.at(-1)) {
      const page = await users().listAuditEntries({ actor, limit: 2, ...(before_id ? { before_id } : {}) });
      seen.push(...page.map(({ id }) => id));
      if (page.length < 2) break;
    }
    expect(seen).toEqual(all.map(({ id }) => id));
    const keys = await users().listAuditEntries({ actor, action: "key", limit: 100 });
    expect(new Set(keys.map(({ action }) => action))).toEqual(new Set(["key.create", "key.update", "key.delete"]));
    expect(await users().listAuditEntries({ actor, action: "key.create", limit: 100 })).toHaveLength(1);
    expect((await users().listAuditEntries({ actor: "admin-token", limit: 1 }))[0]?.actor.kind).toBe("admin-token");
    const [newest] = all;
    const oldest_ms = all.at(-1)?.created_ms ?? 0;
    const until = await users().listAuditEntries({ actor, to_ms: oldest_ms, limit: 100 });
    expect(until).toEqual([]);
    const since = await users().listAuditEntries({ actor, from_ms: newest?.created_ms ?? 0, limit: 100 });
    expect(since.map(({ id }) => id)).toContain(newest?.id ?? "");
    expect(since.every(({ created_ms }) => created_ms >= (newest?.created_ms ?? 0))).toBe(true);
    expect(await users().listAuditEntries({ before_id: "aud_none", limit: 1 })).toEqual([]);
  });

  test("only grows, whoever asks for something else", async () => {
    await users().addAuditEntry({
      ...note,
      object: { kind: "vendor", id: "acme" },
      account_id: null,
      before: null,
      after: { is_set: true },
    });
    for (const statement of ["UPDATE audit_log SET actor_name = 'x'", "DELETE FROM audit_log"])
      expect(String(await rejectionOf(database().execute(statement)))).toContain("the audit log never");
  });

  test("names the user who signed in", async () => {
    const ann = await newUser(users());
    const [entry] = await users().listAuditEntries({ actor: ann.id, action: "session.open", limit: 1 });
    expect(entry).toMatchObject({ actor: { kind: "user", id: ann.id, name: ann.email }, object: { kind: "session" } });
  });
}
