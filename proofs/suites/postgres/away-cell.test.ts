import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { newId } from "../../../src/core/ids.ts";
import { micro } from "../../../src/core/money/money.ts";
import type { Store } from "../../../src/core/store/ports.ts";
import type { StoreEvent } from "../../../src/core/store/store-events.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { NOTE, newLink, newUser } from "../../../src/store/suite/people.ts";
import { ConsoleBrowser } from "../../support/console-browser.ts";
import { type FaultyProxy, faultyProxy } from "../../support/faulty-proxy.ts";
import { startGateway } from "../../support/gateway.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { startWebhookReceiver } from "../../support/webhook-receiver.ts";
import { eventually } from "../failures/support/scene.ts";

/** A cell that goes away and comes back (docs/rulings.md 241): what is refused, who is told, and what is done afterwards. */

const EAGER = join(import.meta.dir, "../../support/gateways/eager-gateway.ts");
const FINGERPRINT = 4711;

let directory: string;
let north: string;
let proxy: FaultyProxy;

beforeAll(async () => {
  [directory, north] = [await freshDatabase(), await freshDatabase()];
  proxy = await faultyProxy(Number(new URL(north).port));
  const through = new URL(north);
  through.port = String(proxy.port);
  north = through.href;
}, 60_000);
afterAll(() => proxy[Symbol.asyncDispose]());

function goAway(): void {
  proxy.refuses = true;
  proxy.cut();
}

/** A store on both, all of whose accounts come to `north`, and what is told of that cell. */
async function openBoth(): Promise<{ store: Store; told: (string | null)[] }> {
  const told: (string | null)[] = [];
  const onEvent = (event: StoreEvent): void => void (event.kind === "cell" && told.push(event.problem));
  const cells = { directory_weight: 0, cells: [{ name: "north", url: north, weight: 1 }] };
  return { store: await openStore({ url: directory, node_id: newId("node"), cells, onEvent }), told };
}

async function untilTold(told: readonly (string | null)[], wanted: (problem: string | null) => boolean) {
  return await eventually("the word of the cell", async () => (told.some(wanted) ? true : null), 60_000);
}

function isAway(store: Store): boolean {
  return store.conditions().some(({ code }) => code === "cell_away");
}

describe("a cell that is away", () => {
  test("is told of once, refuses at once what would wait for it, and is told of again when it is back", async () => {
    const { store, told } = await openBoth();
    try {
      const { id } = await store.accounts.createAccount({
        id: newId("acct"),
        email: `${newId("acct")}@a.example`,
        name: "",
      });
      expect(told).toEqual([]);
      goAway();
      await store.accounts.findAccount(id).catch(() => {});
      await untilTold(told, (problem) => problem !== null);
      await expect(store.accounts.findAccount(id)).rejects.toThrow("north is away");
      expect(isAway(store)).toBe(true);
      proxy.refuses = false;
      await untilTold(told, (problem) => problem === null);
      expect(await store.accounts.findAccount(id)).toMatchObject({ id });
      expect([told.length, isAway(store)]).toEqual([2, false]);
    } finally {
      proxy.refuses = false;
      await store.close();
    }
  }, 120_000);

  test("gets the credit of invitations that were accepted meanwhile, once it is back", async () => {
    const { store, told } = await openBoth();
    try {
      const { id } = await store.accounts.createAccount({
        id: newId("acct"),
        email: `${newId("acct")}@a.example`,
        name: "",
      });
      const user = await newUser(store.users);
      const link = newLink({ email: user.email, account_id: id, credit_micro: micro(5), made_by: "user_boss" });
      await store.users.createLink(link, NOTE);
      goAway();
      await store.accounts.findAccount(id).catch(() => {});
      await untilTold(told, (problem) => problem !== null);
      expect(await store.users.joinByLink(link.token_hash, user.id, NOTE)).toMatchObject({ outcome: "joined" });
      proxy.refuses = false;
      await untilTold(told, (problem) => problem === null);
      for (let sweeps = 0; sweeps < 2; sweeps += 1) await store.ledger.sweep(newId("node"));
      expect(await store.accounts.findAccount(id)).toMatchObject({ balance_micro: 5n });
    } finally {
      proxy.refuses = false;
      await store.close();
    }
  }, 120_000);

  test("is judged by the gateway's secret when it opens later than the gateway", async () => {
    const first = await openBoth();
    await first.store.secretFingerprint(FINGERPRINT);
    await first.store.close();
    goAway();
    const { store, told } = await openBoth();
    try {
      await untilTold(told, (problem) => problem !== null);
      await store.secretFingerprint(FINGERPRINT + 1);
      proxy.refuses = false;
      await untilTold(told, () => store.conditions().some(({ text }) => text.includes("another secret")));
    } finally {
      proxy.refuses = false;
      await store.close();
    }
  }, 120_000);
});

test("a gateway whose file names the cell tells its operators by an alert when it goes away, and when it is back", async () => {
  await using receiver = await startWebhookReceiver();
  const config = `vendors: { sim: {} }
alerts: { to: ["webhook:${receiver.url}"] }
cells: { directory: { weight: 0 }, north: { url: "\${NORTH_URL}" } }
`;
  const [own, own_north] = [await freshDatabase(), new URL(await freshDatabase())];
  own_north.port = String(proxy.port);
  await using gateway = await startGateway({
    config,
    database: own,
    env: { NORTH_URL: own_north.href },
    program: EAGER,
  });
  const { account } = await gateway.newKey();
  const browser = new ConsoleBrowser(gateway.url);
  const { link } = await gateway.admin<{ link: string }>("POST", "/invitations", { email: "ana@example.com", account });
  await browser.signInByLink(link, { name: "Ana", password: "a-long-enough-password" });
  goAway();
  expect((await receiver.first("cell.away")).event.data).toEqual({ cell: "north" });
  expect(await gateway.admin("GET", "/alerts")).toMatchObject({ data: [{ type: "cell.away" }] });
  const logs = (line: string) => eventually(line, async () => (gateway.log().includes(line) ? true : null), 60_000);
  await logs("the cell is away");
  // Who belongs to an account there is still signed in, and sees what it is called.
  expect(await browser.call("GET /session")).toMatchObject({
    status: 200,
    body: { user: { accounts: [{ id: account }] } },
  });
  proxy.refuses = false;
  await receiver.first("cell.back");
  await logs("the cell is back");
}, 120_000);
