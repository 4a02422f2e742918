import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { CreditAdded, Entry } from "../../../contract/credits.ts";
import type { Json } from "../../support/calls.ts";
import { type Ran, runCamino, runHere } from "../../support/camino.ts";
import { faultyProxy } from "../../support/faulty-proxy.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { invite, type Person } from "../../support/people.ts";
import { pages } from "../failures/support/scene.ts";

/** A credit or correction with an id is booked once, however often and by whom it is sent (docs/design/audit.md). */

setDefaultTimeout(60_000);

let gateway: Gateway;
let administrator: Person;
let accounts_made = 0;

beforeAll(async () => {
  gateway = await startGateway();
  administrator = await invite(gateway, { role: "administrator" });
});

afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
});

async function newAccount(): Promise<string> {
  const email = `booked-${++accounts_made}@example.com`;
  return (await gateway.admin<{ id: string }>("POST", "/accounts", { email, credit: "10" })).id;
}

const entriesOf = (account: string): Promise<Entry[]> => pages<Entry>(gateway, `/accounts/${account}/credits?`);

interface Reply {
  readonly status: number;
  readonly body: Json;
}

/** Who books: a program with the admin token, and a person's browser. */
const BOOKERS: Readonly<Record<string, (path: string, body: object, id: string) => Promise<Reply>>> = {
  "the admin token": async (path, body, id) => {
    const token = (await Bun.file(`${gateway.data}/admin-token`).text()).trim();
    const response = await fetch(`${gateway.url}/console/api${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": id },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Json };
  },
  "an administrator's session": (path, body, id) =>
    administrator.browser.call(`POST ${path}`, body, { "idempotency-key": id }),
};

describe.each(Object.keys(BOOKERS))("over HTTP, by %s", (who) => {
  const book = (account: string, body: object, id: string): Promise<Reply> =>
    (BOOKERS[who] as (typeof BOOKERS)[string])(`/accounts/${account}/credits`, body, id);

  test("the same credit at once and again is one entry, and each answer shows it", async () => {
    const account = await newAccount();
    const id = `invoice-${account}`;
    const replies = await Promise.all(Array.from({ length: 8 }, () => book(account, { amount: "5" }, id)));
    replies.push(await book(account, { amount: "5", note: "worded anew" }, id));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201));
    const entries = await entriesOf(account);
    expect(entries.map(({ amount_micro }) => amount_micro)).toEqual([5_000_000, 10_000_000]);
    for (const { body } of replies) {
      expect((body as unknown as CreditAdded).entry.id).toBe(entries[0]?.id ?? "");
      expect((body as unknown as CreditAdded).account.balance_micro).toBe(15_000_000);
    }
  });

  test("a correction names its entry, and is one entry too", async () => {
    const account = await newAccount();
    const [first] = await entriesOf(account);
    const body = { amount: "-1.5", kind: "correction", corrects: first?.id, note: "typo" };
    const id = `correction-${account}`;
    for (const _ of [1, 2]) {
      const reply = await book(account, body, id);
      expect(reply).toMatchObject({ status: 201, body: { entry: { corrects: first?.id, amount_micro: -1_500_000 } } });
    }
    expect(await entriesOf(account)).toHaveLength(2);
  });

  test.each([
    ["another amount", () => ({ amount: "6" })],
    ["another kind", () => ({ amount: "5", kind: "correction" })],
    ["another corrected entry", (entry: string) => ({ amount: "5", kind: "correction", corrects: entry })],
  ])("the same id with %s is a 409 that says so", async (_, other) => {
    const account = await newAccount();
    const [first] = await entriesOf(account);
    const id = `used-${account}`;
    expect((await book(account, { amount: "5" }, id)).status).toBe(201);
    expectUsed(await book(account, other(first?.id ?? ""), id), id);
    expect(await entriesOf(account)).toHaveLength(2);
  });

  test("the same id for another account is a 409 that says so, also at the same moment", async () => {
    const [one, other] = [await newAccount(), await newAccount()];
    const id = `both-${one}`;
    const replies = await Promise.all([one, other, one, other].map((account) => book(account, { amount: "5" }, id)));
    const refused = replies.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(2);
    for (const reply of refused) expectUsed(reply, id);
    expect([...(await entriesOf(one)), ...(await entriesOf(other))]).toHaveLength(3);
  });

  test("an id that no header can carry for sure is refused", async () => {
    const account = await newAccount();
    for (const id of ["two words", "x".repeat(256)]) {
      const reply = await book(account, { amount: "5" }, id);
      expect(reply.status).toBe(400);
      expect(JSON.stringify(reply.body)).toContain("1 to 255 printable ASCII characters");
    }
    expect(await entriesOf(account)).toHaveLength(1);
  });
});

function expectUsed({ status, body }: Reply, id: string): void {
  expect(status).toBe(409);
  const { message } = body.error as Json;
  expect(message).toContain(`The id "${id}" was used for another booking`);
}

test("a booking whose answer the network took away is made once when it is sent again", async () => {
  const account = await newAccount();
  await using proxy = await faultyProxy(Number(new URL(gateway.url).port));
  const token = (await Bun.file(`${gateway.data}/admin-token`).text()).trim();
  const book = (): Promise<Response> =>
    fetch(`http://127.0.0.1:${proxy.port}/console/api/accounts/${account}/credits`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "idempotency-key": `lost-${account}` },
      body: JSON.stringify({ amount: "5" }),
    });
  const caught = proxy.cutAt("idempotency-key");
  const lost = await book().catch((thrown: unknown) => thrown);
  expect(lost).toBeInstanceOf(Error);
  // The request arrives after its client has gone.
  (await caught)();
  while ((await entriesOf(account)).length < 2) await Bun.sleep(10);
  const again = await book();
  expect(again.status).toBe(201);
  expect((await entriesOf(account)).map(({ amount_micro }) => amount_micro)).toEqual([5_000_000, 10_000_000]);
});

test("a booking without an id is made as often as it is sent", async () => {
  const account = await newAccount();
  for (const _ of [1, 2]) await gateway.admin("POST", `/accounts/${account}/credits`, { amount: "1" });
  expect(await entriesOf(account)).toHaveLength(3);
});

describe("camino credit", () => {
  const env = (): Record<string, string> => ({ CAMINO_URL: gateway.url, CAMINO_DATA: gateway.data });
  const process_of_its_own = (...words: string[]): Promise<Ran> =>
    runCamino(["credit", ...words], { cwd: gateway.data, env: env() });
  const camino = (...words: string[]): Promise<Ran> => runHere(["credit", ...words], { cwd: gateway.data, env: env() });

  test("add --id books once, and another amount under the id has status 1", async () => {
    const account = await newAccount();
    const id = `order-${account}`;
    const said = await process_of_its_own("add", account, "25", "--id", id);
    expect(said).toMatchObject({ status: 0, stdout: expect.stringContaining("the balance is 35.00 USD") });
    expect(await camino("add", account, "25.00", "--id", id)).toEqual(said);
    const refused = await camino("add", account, "26", "--id", id);
    expect(refused).toMatchObject({ status: 1, stdout: "" });
    expect(refused.stderr).toMatch(new RegExp(`^camino: The id "${id}" was used for another booking.*\n$`));
    expect(await entriesOf(account)).toHaveLength(2);
  });

  test("correct --entry --id books once, and list shows what it corrects", async () => {
    const account = await newAccount();
    const [first] = await entriesOf(account);
    const words = ["correct", account, "--entry", first?.id ?? "", "--id", `fix-${account}`, "--note", "typo"];
    for (const run of [process_of_its_own, camino]) {
      const { status, stdout } = await run(...words, "--", "-1.50");
      expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining("the balance is 8.50 USD") });
    }
    const listed = await camino("list", account);
    expect(listed.stdout).toContain(`typo corrects ${first?.id}`);
    expect(await entriesOf(account)).toHaveLength(2);
  });

  test.each([
    [
      "an entry of another account",
      async () => (await entriesOf(await newAccount()))[0]?.id ?? "",
      "There is no entry",
    ],
    ["an entry that there is not", async (id: string) => id.replace(/_1$/, "_7"), "There is no entry"],
    ["no entry's id", async () => "req_1", "ent_"],
  ])("correct --entry refuses %s", async (_, entryFrom, sentence) => {
    const account = await newAccount();
    const entry = await entryFrom((await entriesOf(account))[0]?.id ?? "");
    const ran = await camino("correct", account, "1", "--entry", entry);
    expect(ran).toMatchObject({ status: 1, stdout: "" });
    expect(ran.stderr).toContain(sentence);
  });
});
