import { Database } from "bun:sqlite";
import { newId } from "../../src/core/ids.ts";
import { micro } from "../../src/core/money/money.ts";
import { NO_LIMITS } from "../../src/core/people/principal.ts";
import type { Store } from "../../src/core/store/ports.ts";
import { openStore } from "../../src/store/open-store.ts";
import { Customer, newCustomer, newKey, type TestDatabase } from "../../src/store/suite/books.ts";
import { identity, NOTE, newLink, newSession, newUser, signInAs } from "../../src/store/suite/people.ts";

const budget = { amount_micro: micro(900_000), window: "month" } as const;
/** A limit by model that counts some of the requests. */
const BY_MODEL = { rule: "account model *", value: "", rpm: 900, tpm: null, concurrent: null, budget };

/** An embedded database as a gateway leaves it that was killed: rows in every table, and open holds. */
export interface FilledFile {
  readonly path: string;
  /** A customer of it, whose key has the hash `HASH`. */
  readonly customer: Customer;
}

/** Texts as people write them, and bytes of all values. */
const NAME = `Zoë "Ω" 你好 🐫 \\ ' # \\u0000`;
export const HASH = newId("key");
const BYTES = Uint8Array.from({ length: 256 }, (_, at) => at);
const ANSWER = { status: 200, content_type: "application/json", headers: { "x-a": NAME }, body: BYTES } as const;

export async function fillFile(path: string): Promise<FilledFile> {
  const first = await open(path);
  const customer = await newCustomer(first, 1_000_000, {
    name: NAME,
    hash: HASH,
    rpm: 600,
    aliases: [{ name: "fast", model: "acme/swift" }],
  });
  await deleteOld(first);
  await fillBooks(first, customer);
  await fillPeople(first.store);
  await fillRest(first.store, customer);
  // Its account's limits made it a new version.
  customer.key = (await first.store.accounts.findKey(customer.key.id)) ?? customer.key;
  const recovered = await customer.hold();
  await customer.progress(recovered, 15, { input_tokens: 10, output_tokens: 5 });
  await first.store.close();

  const second = await open(path);
  const again = new Customer(second, customer.account, customer.key);
  // The start has ended it, and its end comes late.
  await again.settle(recovered);
  await again.progress(await again.hold({ client_request_id: "theirs" }), 7, { input_tokens: 7 });
  await again.hold({ idempotency: { key: "runs", fingerprint: "f" } });
  await second.store.close();
  const raw = new Database(path);
  raw.run(
    "INSERT INTO incidents (at_ms, kind, detail, closed_ms, closed_by, note) VALUES (1, 'unproven', 'seen', 2, 'ann', 'fine')",
  );
  raw.run("INSERT INTO vendor_spending (day, vendor, credential, spent_micro) VALUES (20785, 'acme', 'key-1', 400)");
  raw.close(true);
  return { path, customer };
}

async function open(path: string): Promise<TestDatabase> {
  const node_id = newId("node");
  return {
    store: await openStore({ url: `sqlite:${path}`, node_id }),
    node_id,
    execute: unused,
    crash: unused,
    close: unused,
  };
}

function unused(): Promise<never> {
  return Promise.reject(new Error("not here"));
}

/** Charges whose requests are gone. */
async function deleteOld(database: TestDatabase): Promise<void> {
  const customer = await newCustomer(database, 1000);
  for (let count = 0; count < 4; count += 1) await customer.settle(await customer.hold());
  while ((await database.store.upkeep.dropRequests(Date.now() + 86_400_000)) > 0);
}

async function fillBooks(database: TestDatabase, customer: Customer): Promise<void> {
  const { accounts } = database.store;
  const project = {
    id: newId("proj"),
    account_id: customer.account.id,
    name: NAME,
    limits: { ...NO_LIMITS, rpm: 600 },
  };
  await accounts.createProject(project);
  await customer.changeKey({ project_id: project.id });
  for (let count = 0; count < 12; count += 1) {
    const model = `acme/swift-${count % 5}`;
    const request_id = await customer.hold({
      model,
      requested_model: "fast",
      ...(count % 2 === 0 && { rules: [BY_MODEL] }),
      ...(count % 3 === 0 && { tags: JSON.stringify({ team: `team ${count}`, note: NAME }) }),
      endpoint: count % 2 === 0 ? "messages" : "responses",
    });
    if (count % 4 === 3) await customer.void(request_id, { operator_loss_micro: micro(3) });
    else await customer.settle(request_id, { model, charge_micro: micro(10 + count) });
  }
  const kept = await customer.hold({ idempotency: { key: "kept", fingerprint: "f" } });
  await customer.settle(kept, { answer: ANSWER });
  const note = { account_id: customer.account.id, note: NAME, actor: "ann" };
  const { id } = await accounts.addEntry({
    ...note,
    kind: "credit",
    amount_micro: micro(500),
    booking_id: newId("ent"),
  });
  await accounts.addEntry({ ...note, kind: "correction", amount_micro: micro(-5), corrects: id });
  await accounts.setAccountLimits(customer.account.id, {
    rpm: 6000,
    tpm: null,
    concurrent: 50,
    models: null,
    budget: null,
  });
  const rule = { threshold_micro: micro(1), amount_micro: micro(2), month_limit_micro: micro(3), updated_by: "ann" };
  await accounts.setAutoTopUp({ account_id: (await newCustomer(database, 0)).account.id, ...rule });
  for (let count = 0; count < 5; count += 1) {
    const other = await newCustomer(database, 1000 * count + 100);
    await other.settle(await other.hold());
    const tags = { team: `team ${count}`, env: NAME };
    await accounts.deleteKey((await accounts.createKey(newKey(other.account.id, { tags }))).id);
  }
}

async function fillPeople(store: Store): Promise<void> {
  const { users } = store;
  const user = await newUser(users);
  await users.openSession(user.id, newSession(), NOTE);
  const passkey = { id: newId("pass"), user_id: user.id, name: NAME, credential_id: newId("pass"), public_key: "k" };
  await users.addPasskey({ ...passkey, counter: 4, transports: ["usb"], backed_up: true }, NOTE);
  const who = identity();
  await users.addIdentity(user.id, who, NOTE);
  await users.signInByIdentity(signInAs(who), NOTE);
  await users.createLink(newLink({ credit_micro: micro(7) }), NOTE);
  const { account_id } = user;
  const project = { id: newId("proj"), account_id, name: NAME, limits: NO_LIMITS };
  const { id: project_id } = await store.accounts.createProject(project);
  await users.setMembership(user.id, { account_id, role: "owner", project_id }, NOTE);
  await users.createLink(newLink({ account_id, project_id }), NOTE);
  const prompt = { id: newId("prompt"), account_id: user.account_id, user_id: user.id, name: NAME, content: "{}" };
  await users.createPrompt({ ...prompt, shared: true, at_most: 1 }, NOTE);
  const managing = { id: newId("mkey"), hash: newId("mkey"), hint: "abcd", name: NAME, scopes: ["usage:read"] };
  const made_by = { account_id: user.account_id, created_by: user.id, expires_ms: null };
  await users.createManagementKey({ ...managing, ...made_by }, NOTE);
  await users.putChallenge({ id: newId("sess"), kind: "k", data: "{}", ttl_ms: 60_000 });
  await users.countTry("bucket", 60_000);
}

async function fillRest(store: Store, { account }: Customer): Promise<void> {
  await fillDeliveries(store.deliveries, account.id);
  const parts = { input: BYTES, output: new Uint8Array([0]), rest: new Uint8Array(0) };
  const stored = { account_id: account.id, parts, keep_ms: 600_000, used_keys: [] };
  await store.responses.put([{ ...stored, parent_key: null, response_key: "one", item_keys: ["a", "b"] }], 1_000_000);
  await store.responses.put([{ ...stored, parent_key: "one", response_key: "two", item_keys: [] }], 1_000_000);
  await store.responses.putCached([
    { account_id: account.id, answer_key: "one", content: BYTES, age_ms: 0, keep_ms: 600_000 },
  ]);
  await store.responses.countCached([{ account_id: account.id, hour_ms: 0, hits: 2, misses: 1, saved_micro: 5n }]);
  const said = { key_id: "key", model: "acme/swift", endpoint: "messages", status: 200, tags: "{}", user_key: "user" };
  const entries = [{ request_id: "req", at_ms: 1, ...said, bytes: BYTES.length }];
  await store.responses.putContents([{ account_id: account.id, segment_id: "req", content: BYTES, entries }]);
  await store.accounts.setContentSwitch(account.id, { scope: "account", id: account.id }, { keeps: true, words: true });
  const element = {
    kind: "alias",
    id: "fast",
    version: 1,
    action: "put",
    value: "acme/swift",
    changed_by: "ann",
  } as const;
  const audited = { ...NOTE, object: { kind: "alias", id: "fast" }, account_id: null, before: null, after: null };
  await store.configuration.changeElement(element, 0, audited);
  await store.vendor_credentials.put({ vendor_id: "acme", key_version: 1, nonce: "n", ciphertext: "c", set_by: "ann" });
  const refused = { minute: 1000, account_id: "acct_1", key_id: "key_1", endpoint: "messages", code: "invalid_json" };
  const newest = {
    model: "",
    param: "messages",
    request_id: "req_refused",
    client_request_id: "theirs",
    last_ms: 60_000_000,
  };
  await store.upkeep.writeRefusals([{ ...refused, ...newest, status: 400, count: 3 }]);
  const { last_ms: at_ms, ...ids } = newest;
  const { minute: _minute, ...place } = refused;
  const told = { status: 400, asked_model: "swift", message: "messages is missing." };
  await store.upkeep.writeRefusedRequests([{ ...place, ...ids, ...told, model: null, at_ms }]);
  await store.upkeep.openChore("audit", "node_1");
  await store.upkeep.claimChore("audit", "node_1", 0);
  await store.upkeep.endChore("audit", "node_1", "{}");
}

async function fillDeliveries(deliveries: Store["deliveries"], account_id: string): Promise<void> {
  const letter = { id: newId("link"), kind: "invitation", recipient: "b@example.com" } as const;
  await deliveries.addLetter({ ...letter, asked_from: null, ttl_ms: 60_000 });
  const target = { id: newId("tgt"), account_id, channel: "webhook", sealed: "{}", types: null } as const;
  await deliveries.addTarget({ ...target, created_by: "admin-token" }, NOTE);
  const found = { type: "balance.low", subject: account_id, account_id, level: 1, data: "{}", holds: "yes" as const };
  await deliveries.lookAtAlerts({ account_id, findings: [found], is_whole: true, listeners: [] });
  await deliveries.beginUsage(target.id);
}
