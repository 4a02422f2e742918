import { describe, expect, test } from "bun:test";
import type { Claim, ClaimedDelivery, NewDelivery, NewLetter } from "../../core/deliveries/deliveries.ts";
import type { DeliveryStore } from "../../core/deliveries/delivery-store.ts";
import { newId } from "../../core/ids.ts";
import { micro } from "../../core/money/money.ts";
import type { UserStore } from "../../core/people/users.ts";
import { rejectionOf, type TestDatabase } from "./books.ts";
import { ANYBODY, NOTE, newLink, newUser, spending } from "./people.ts";

const LEASE_MS = 60_000;
const BUSY = { status: 503, reason: "busy" };
const DAY_MS = 86_400_000;

function newLetter(fields: Partial<NewLetter> = {}): NewLetter {
  const id = newId("link");
  return { id, kind: "invitation", recipient: `${id}@example.com`, asked_from: "::1", ttl_ms: 60_000, ...fields };
}

function newAlert(fields: Partial<NewDelivery> = {}): NewDelivery {
  const told = { kind: "alert", channel: "webhook", type: "balance.low", body: '{"type":"balance.low"}' } as const;
  const whose = { recipient: newId("tgt"), account_id: newId("acct"), asked_from: null };
  return { id: newId("dlv"), ...told, ...whose, ttl_ms: DAY_MS, ...fields };
}

const claimFor = (over: "mail" | "http", lease_ms = LEASE_MS, busy: string[] = []) => ({ over, lease_ms, busy });

/** Claims until nothing is due, and gives back what was claimed. */
async function claimAll(store: DeliveryStore, over: "mail" | "http" = "mail"): Promise<ClaimedDelivery[]> {
  const claimed: ClaimedDelivery[] = [];
  for (;;) {
    const { delivery } = await store.claimDelivery(claimFor(over));
    if (delivery === null) return claimed;
    claimed.push(delivery);
  }
}

export function deliveriesSuite(database: () => TestDatabase): void {
  const store = (): DeliveryStore => database().store.deliveries;
  const users = (): UserStore => database().store.users;
  describe("letters", () => letterTests(store, users));
  describe("what is told to targets", () => alertTests(store));
  describe("receipts of credit", () => receiptTests(database));
  describe("targets", () => targetTests(store));
  describe("password resets that were asked for", () => resetTests(users));
}

function receiptTests(database: () => TestDatabase): void {
  test("are put down with the entry that they tell of: once for each booking, and neither without the other", async () => {
    const { accounts, deliveries, description } = database().store;
    const account_id = newId("acct");
    await accounts.createAccount({ id: account_id, email: `${account_id}@example.com`, name: "Paid" });
    const receipt = { account_name: "Paid", currency: "EUR", owners: ["user_a", "user_b"] };
    const entry = {
      account_id,
      kind: "credit",
      amount_micro: micro(5_000_000),
      note: "bill 7",
      actor: "test",
    } as const;
    const booking = { ...entry, booking_id: newId("ent"), receipt };
    const booked = await accounts.addEntry(booking);
    expect(await accounts.addEntry(booking)).toEqual(booked);
    const told = await deliveries.listDeliveries({ account_id, limit: 10 });
    expect(told.map(({ target_id }) => target_id).toSorted()).toEqual(["user_a", "user_b"]);
    expect(JSON.parse(told[0]?.body ?? "").data).toEqual({
      ...{ account: account_id, account_name: "Paid", entry: booked.id, currency: "EUR", note: "bill 7" },
      ...{ amount_micro: 5_000_000, balance_micro: 5_000_000 },
    });
    for (const each of await claimAll(deliveries)) await deliveries.endDelivery(each, null);
    // What cannot be put down undoes its entry, but where the books are in another database.
    if (description.includes("cell ")) return;
    const nobody = { ...receipt, owners: [null as never] };
    await rejectionOf(accounts.addEntry({ ...entry, receipt: nobody }));
    expect(await accounts.listEntries(account_id, 10)).toEqual([booked]);
  });
}

function letterTests(store: () => DeliveryStore, users: () => UserStore): void {
  test("are claimed once, however many claim, and by nobody once they are sent", async () => {
    for (const each of await claimAll(store())) await store().endDelivery(each, null);
    const letters = [newLetter(), newLetter(), newLetter()];
    for (const letter of letters) expect(await store().addLetter(letter)).toBe(true);
    const claims = await Promise.all(Array.from({ length: 6 }, () => store().claimDelivery(claimFor("mail"))));
    const claimed = claims.flatMap(({ delivery }) => delivery ?? []);
    expect(claimed.map(({ id }) => id).toSorted()).toEqual(letters.map(({ id }) => id).toSorted());
    expect(claimed.every(({ attempts }) => attempts === 1)).toBe(true);
    for (const each of claimed) await store().endDelivery(each, null);
    expect(await claimAll(store())).toEqual([]);
  });

  test("are due again where their sender died, and its late word changes nothing", async () => {
    const letter = newLetter();
    await store().addLetter(letter);
    const { delivery: first } = await store().claimDelivery(claimFor("mail", -1));
    const { delivery: again } = await store().claimDelivery(claimFor("mail"));
    expect(first).toMatchObject({ id: letter.id, attempts: 1 });
    expect(again).toMatchObject({ ...first, attempts: 2 });
    await store().endDelivery(first as Claim, null);
    expect(await store().delayDelivery(again as Claim, 0, BUSY)).toBe(true);
    for (const each of await claimAll(store())) await store().endDelivery(each, null);
  });

  test("wait where they could not be sent, and are given up when their time is over", async () => {
    const [waits, ends] = [newLetter(), newLetter({ ttl_ms: 1_000 })];
    await store().addLetter(waits);
    await store().addLetter(ends);
    const claimed = await claimAll(store());
    const of = ({ id }: NewLetter): Claim => claimed.find((each) => each.id === id) as Claim;
    expect(await store().delayDelivery(of(waits), 0, BUSY)).toBe(true);
    expect(await store().delayDelivery(of(ends), 2_000, BUSY)).toBe(false);
    const [later] = await claimAll(store());
    expect(later).toMatchObject({ id: waits.id, attempts: 2 });
    // The sender whose lease was over says that it is done, and the letter is another's by now.
    await store().endDelivery(of(waits), null);
    expect(await store().delayDelivery(later as Claim, 0, BUSY)).toBe(true);
    for (const each of await claimAll(store())) await store().endDelivery(each, null);
    await store().addLetter(newLetter({ ttl_ms: -1 }));
    expect(await store().claimDelivery(claimFor("mail"))).toEqual({ delivery: null, given_up: 1 });
  });

  test("are put down with the link that they bring, and with no other", async () => {
    const link = newLink({ mail: { asked_from: null, ttl_ms: 60_000 } });
    await users().createLink(link, NOTE);
    await users().createLink(newLink(), NOTE);
    const claimed = await claimAll(store());
    expect(claimed).toMatchObject([{ id: link.id, kind: "invitation", recipient: link.email ?? "", body: null }]);
    for (const each of claimed) await store().endDelivery(each, null);
  });

  test("of one kind take no place from another's, however many strangers ask for", async () => {
    const brief = (): NewLetter => newLetter({ kind: "password-reset", ttl_ms: 0 });
    for (let put = 0; put < 1000; put += 100)
      await Promise.all(Array.from({ length: 100 }, () => store().addLetter(brief())));
    expect(await store().addLetter(brief())).toBe(false);
    const invitation = newLetter();
    expect(await store().addLetter(invitation)).toBe(true);
    const { delivery, given_up } = await store().claimDelivery(claimFor("mail"));
    expect({ id: delivery?.id, given_up }).toEqual({ id: invitation.id, given_up: 1000 });
    await store().endDelivery(delivery as Claim, null);
  }, 30_000);
}

function alertTests(store: () => DeliveryStore): void {
  test("stays as it was sent, with how each try ended, and is found by whose it is", async () => {
    const [sent, refused, waits] = [newAlert(), newAlert(), newAlert()];
    const account_id = sent.account_id as string;
    for (const each of [sent, { ...refused, account_id }, { ...waits, account_id }, newAlert({ ttl_ms: 0 })])
      await store().addDelivery(each);
    await store().addDelivery(sent);
    const claimed = await claimAll(store(), "http");
    expect(claimed.map(({ id }) => id).toSorted()).toEqual([sent.id, refused.id, waits.id].toSorted());
    const of = ({ id }: NewDelivery): Claim => claimed.find((each) => each.id === id) as Claim;
    await store().endDelivery(of(sent), { status: 204, reason: null });
    await store().endDelivery(of(refused), { status: 410, reason: "gone" });
    expect(await store().delayDelivery(of(waits), 60_000, BUSY)).toBe(true);
    const listed = await store().listDeliveries({ account_id, limit: 10 });
    const states = Object.fromEntries(listed.map(({ id, state, status, reason }) => [id, { state, status, reason }]));
    expect(states).toEqual({
      [sent.id]: { state: "delivered", status: 204, reason: null },
      [refused.id]: { state: "failed", status: 410, reason: "gone" },
      [waits.id]: { state: "waiting", status: 503, reason: "busy" },
    });
    expect(await store().findDelivery(sent.id)).toMatchObject({ body: sent.body, target_id: sent.recipient });
    const [first, ...rest] = listed;
    expect(await store().listDeliveries({ account_id, limit: 10, before_id: first?.id ?? "" })).toEqual(rest);
    expect(await store().listDeliveries({ account_id: newId("acct"), limit: 10 })).toEqual([]);
  });

  test("is sent again when somebody asks for it, under the same id, also while it waits", async () => {
    const alert = newAlert();
    await store().addDelivery(alert);
    const [first] = await claimAll(store(), "http");
    await store().delayDelivery(first as Claim, 600_000, BUSY);
    expect(await claimAll(store(), "http")).toEqual([]);
    expect(await store().resendDelivery(alert.id, DAY_MS)).toBe(true);
    const [second] = await claimAll(store(), "http");
    await store().endDelivery(second as Claim, { status: 200, reason: null });
    expect(await store().resendDelivery(alert.id, DAY_MS)).toBe(true);
    const [third] = await claimAll(store(), "http");
    expect(third).toMatchObject({ id: alert.id, body: alert.body, attempts: 1 });
    await store().endDelivery(third as Claim, null);
    expect(await store().resendDelivery(newId("dlv"), DAY_MS)).toBe(false);
  });

  test("waits with all that waits for a receiver that is away, and passes over one that is being sent to", async () => {
    const [one, other, third] = [newAlert(), newAlert(), newAlert()];
    for (const each of [one, { ...other, recipient: one.recipient }, third]) await store().addDelivery(each);
    const { delivery } = await store().claimDelivery(claimFor("http", LEASE_MS, [third.recipient]));
    expect(delivery?.recipient).toBe(one.recipient);
    const busy = claimFor("http", LEASE_MS, [one.recipient, third.recipient]);
    expect((await store().claimDelivery(busy)).delivery).toBeNull();
    await store().delayDelivery(delivery as Claim, 60_000, BUSY);
    expect((await claimAll(store(), "http")).map(({ id }) => id)).toEqual([third.id]);
  });

  test("goes when it is old, and never while it waits", async () => {
    const [old, waits] = [newAlert(), newAlert()];
    await store().addDelivery(old);
    for (const each of await claimAll(store(), "http")) await store().endDelivery(each, null);
    await store().addDelivery(waits);
    while ((await store().dropDeliveries(Date.now() + DAY_MS, 0)) > 0);
    expect(await store().findDelivery(old.id)).toBeNull();
    expect(await store().findDelivery(waits.id)).not.toBeNull();
    for (const each of await claimAll(store(), "http")) await store().endDelivery(each, null);
  });
}

function targetTests(store: () => DeliveryStore): void {
  const newTarget = (account_id: string | null) => {
    const made = { channel: "webhook", sealed: "{}", types: ["balance.low"], created_by: "admin-token" } as const;
    return { id: newId("tgt"), account_id, ...made };
  };

  test("are made, end with what waits for them, open again, and go", async () => {
    const target = newTarget(null);
    expect(await store().addTarget(target, NOTE)).toMatchObject({ ...target, ended_ms: null });
    const alert = newAlert({ recipient: target.id });
    await store().addDelivery(alert);
    await store().endTarget(target.id, "gone");
    expect(await store().findTarget(target.id)).toMatchObject({ ended_reason: "gone" });
    expect(await store().findDelivery(alert.id)).toMatchObject({ state: "failed", reason: "gone", due_ms: null });
    await store().reopenTarget(target.id);
    expect(await store().findTarget(target.id)).toMatchObject({ ended_ms: null });
    expect((await store().listTargets()).map(({ id }) => id)).toContain(target.id);
    expect(await store().removeTarget(target.id, NOTE)).toBe(true);
    expect(await store().removeTarget(target.id, NOTE)).toBe(false);
    expect(await store().findTarget(target.id)).toBeNull();
  });

  test("are at most twenty of one account", async () => {
    const made = [];
    for (let n = 0; n < 20; n += 1) made.push(await store().addTarget(newTarget(null), NOTE));
    expect(String(await rejectionOf(store().addTarget(newTarget(null), NOTE)))).toContain("20 targets");
    for (const { id } of made) await store().removeTarget(id, NOTE);
  });
}

function resetTests(users: () => UserStore): void {
  test("end none that is open, and end with the first that is used, or with another password or e-mail", async () => {
    const ann = await newUser(users());
    const reset = { purpose: "password-reset", user_id: ann.id, email: ann.email } as const;
    const made = async (vouched: boolean) => {
      const link = newLink({ ...reset, vouched });
      await users().createLink(link, NOTE);
      return link.token_hash;
    };
    const offered = await made(true);
    const asked = [await made(false), await made(false)] as const;
    for (const hash of [offered, ...asked]) expect(await users().findLink(hash)).not.toBeNull();
    const opened = await users().spendLink(spending(asked[1], { password_hash: "new" }), ANYBODY);
    expect(opened).not.toBeNull();
    for (const hash of [offered, ...asked]) expect(await users().findLink(hash)).toBeNull();
    expect(await users().spendLink(spending(asked[1], { password_hash: "newer" }), ANYBODY)).toBeNull();
    for (const patch of [{ password_hash: "other" }, { email: `other-${ann.email}` }]) {
      const hash = await made(false);
      await users().updateUser(ann.id, patch, NOTE);
      expect(await users().findLink(hash)).toBeNull();
    }
  });
}
