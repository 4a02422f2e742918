import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { AlertList, DeliveryList } from "../../../contract/alerts.ts";
import { ALERT_TYPES, type AlertTypeName } from "../../../src/alerts/alert-types.ts";
import { runCamino } from "../../support/camino.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { type MailServer, startMailServer } from "../../support/mail-server.ts";
import { type Json, type ScriptedVendor, startScriptedVendor, TELLERS } from "../../support/told-by-vendor.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../../support/webhook-receiver.ts";

/**
 * Every type of alert as its causes make it: calls, budgets, dates, a vendor that is down. Each is told by webhook, by mail and in Slack's shape, is
 * among the alerts that are open, and its end is told in what is true then. Only what takes days, or what no call can do, is written into the
 * database. The alert of a backup is in alerts.test.ts, that of a cell in proofs/suites/postgres/away-cell.test.ts.
 */

setDefaultTimeout(120_000);

const ELSEWHERE: readonly AlertTypeName[] = ["backup.late", "cell.away"];

let vendor: ScriptedVendor;
let hook: WebhookReceiver;
let slack: WebhookReceiver;
let mail: MailServer;
let gateway: Gateway;
/** A vendor that fails, and the port of one that is not there yet. */
const shaky = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("down", { status: 500 }) });
let gone = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
const gone_port = gone.port ?? 0;

const USAGE = { prompt_tokens: 10, completion_tokens: 5 };
/** What a call of `chat/dear` costs with it. */
const UNITS = 3;
const answerOf = (usage: object) =>
  TELLERS["chat-completions"].whole({ text: "Hello", reports: [{ ...usage }] }) as Json;

beforeAll(async () => {
  await gone.stop(true);
  vendor = startScriptedVendor();
  vendor.answer(answerOf(USAGE));
  [hook, slack, mail] = await Promise.all([startWebhookReceiver(), startWebhookReceiver(), startMailServer()]);
  const price = { input: "1", output: "4" };
  const row = { max_completion_tokens: 64, price, capabilities: { thinking: false } };
  const config = {
    catalog: "none",
    console: { public_url: "http://models.example.com" },
    alerts: { to: [`webhook:${hook.url}`, `slack:${slack.url}`, "mail:ops@example.com"] },
    vendors: {
      chat: { protocol: "chat-completions", base_url: vendor.baseUrl("chat-completions"), api_key: "k" },
      shaky: { protocol: "chat-completions", base_url: `http://127.0.0.1:${shaky.port}/v1`, api_key: "k" },
      gone: { protocol: "chat-completions", base_url: `http://127.0.0.1:${gone_port}/v1`, api_key: "k" },
    },
    models: {
      "chat/dear": { ...row, price: { input: "100000", output: "400000" } },
      "chat/plain": row,
      "gone/m": row,
      ...Object.fromEntries([0, 1, 2, 3].map((n) => [`shaky/m${n}`, row])),
    },
  };
  const program = join(import.meta.dir, "../../support/gateways/eager-gateway.ts");
  gateway = await startGateway({ config: JSON.stringify(config), env: { CAMINO_SMTP_URL: mail.url }, program });
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await Promise.all([shaky.stop(true), gone.stop(true)]);
  for (const each of [vendor, hook, slack, mail]) await each?.[Symbol.asyncDispose]();
});

interface Member {
  readonly account: string;
  readonly name: string;
  readonly key: string;
  readonly key_id: string;
}

async function newMember(name: string, credit: string, key: object = {}): Promise<Member> {
  const { id: account } = await gateway.admin<{ id: string }>("POST", "/accounts", {
    ...{ email: `${name.toLowerCase()}@example.com`, name, credit },
  });
  const made = await gateway.admin<{ id: string; key: string }>("POST", "/keys", { account, name: "laptop", ...key });
  return { account, name, key: made.key, key_id: made.id };
}

async function call({ key }: Pick<Member, "key">, model: string, more: object = {}): Promise<number> {
  const messages = [{ role: "user", content: "Hi" }];
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages, max_tokens: 5, ...more }),
  });
  await answer.text();
  return answer.status;
}

const addCredit = (account: string, amount: string) =>
  gateway.admin("POST", `/accounts/${account}/credits`, { amount, note: "by a test" });

/** Writes into the database beside the gateway. */
function write(text: string, ...params: (string | number)[]): void {
  using books = new Database(join(gateway.data, "camino.db"));
  books.run("PRAGMA busy_timeout = 30000");
  books.run(text, params);
}

const DAY = Math.floor(Date.now() / 86_400_000);
function addDays(account: string, key_id: string, cost_micro: number): void {
  for (const ago of [1, 2, 3]) {
    write(
      "INSERT INTO usage_days (account_id, day, key_id, model, cost_micro) VALUES (?, ?, ?, 'chat/dear', ?)",
      ...[account, DAY - ago, key_id, cost_micro],
    );
  }
}

async function auditAgain(): Promise<void> {
  write("UPDATE chores SET started_ms = 0, ended_ms = 1 WHERE name = 'audit'");
}

/** Waits until the last calls to a vendor are counted, which comes behind them. */
async function allCounted(name: string): Promise<void> {
  const count = (): unknown => {
    using books = new Database(join(gateway.data, "camino.db"), { readonly: true });
    return books.query("SELECT sum(calls) AS calls FROM vendor_slots WHERE vendor = ?").get(name);
  };
  for (let before: unknown = null; !Bun.deepEquals(before, count()); await Bun.sleep(3000)) before = count();
}

/** Waits until an event has come in all three ways. */
async function told(type: string, data: object, words: RegExp): Promise<void> {
  const isTold = ({ event }: { readonly event: { readonly type?: string; readonly data?: unknown } }) =>
    event.type === type && Bun.deepMatch(data, event.data);
  const until = async (what: string, isSo: () => boolean): Promise<void> => {
    const late = Date.now() + 45_000;
    while (!isSo()) {
      if (Date.now() > late) {
        const events = hook.taken.filter(({ event }) => event.type === type).map(({ body }) => body);
        throw new Error(`${type} was not told by ${what}: ${JSON.stringify(data)} among ${events.join("\n")}`);
      }
      await Bun.sleep(20);
    }
  };
  await until("webhook", () => hook.taken.some(isTold));
  await until("Slack", () => slack.taken.some(({ event }) => words.test(String((event as { text?: string }).text))));
  await until("mail", () => mail.mails.some(({ text }) => words.test(text)));
}

interface Case {
  readonly type: AlertTypeName;
  readonly when: string;
  /** Makes it true. Gives back what is told, in data and in words, and what ends it. */
  make(): Promise<{ data: object; words: RegExp; end?: () => Promise<{ data: object; words: RegExp }> }>;
}

const CASES: readonly Case[] = [
  {
    ...{ type: "balance.low", when: "less than 5 units are left" },
    make: async () => {
      const { account } = await newMember("Poor", "2");
      const end = async () => {
        await addCredit(account, "50");
        return {
          data: { account, balance_micro: 52_000_000, days_left: null },
          words: /account Poor is no longer low[\s\S]*52\.00 USD are left/,
        };
      };
      return {
        data: { account, balance_micro: 2_000_000 },
        words: /account Poor is low[\s\S]*2\.00 USD are left/,
        end,
      };
    },
  },
  {
    ...{ type: "balance.low", when: "it lasts for less than three days" },
    make: async () => {
      const member = await newMember("Busy", "20");
      for (let n = 0; n < 2; n += 1) expect(await call(member, "chat/dear")).toBe(200);
      const { account } = member;
      const end = async () => {
        await addCredit(account, "100");
        return {
          data: { account, balance_micro: 114_000_000, days_left: 19 },
          words: /account Busy is no longer low[\s\S]*lasts for about 19 days/,
        };
      };
      // Told while a call still holds something, it is of a smaller balance.
      return { data: { account }, words: /account Busy is low[\s\S]*lasts for about [12] days/, end };
    },
  },
  {
    ...{ type: "balance.empty", when: "nothing is left" },
    make: async () => {
      const { account } = await newMember("Broke", "8");
      await gateway.admin("POST", `/accounts/${account}/credits`, {
        amount: "-8",
        kind: "correction",
        note: "paid back",
      });
      const end = async () => {
        await addCredit(account, "9");
        return {
          data: { account, balance_micro: 9_000_000 },
          words: /credit again in account Broke[\s\S]*9\.00 USD are left/,
        };
      };
      return { data: { account, balance_micro: 0 }, words: /account Broke is used up/, end };
    },
  },
  ...([50, 80, 100] as const).map(
    (percent): Case => ({
      ...{ type: "budget.reached", when: `${percent} percent are used` },
      make: async () => {
        const amount = String((UNITS * 100) / percent);
        const name = `Budget${percent}`;
        const member = await newMember(name, "100", { budget: { amount: "100", window: "day" } });
        expect(await call(member, "chat/dear")).toBe(200);
        await gateway.admin("PATCH", `/keys/${member.key_id}`, { budget: { amount, window: "day" } });
        const key = { account: member.account, key: member.key_id, holder: "key" };
        const end = async () => {
          await gateway.admin("PATCH", `/keys/${member.key_id}`, { budget: { amount: "100", window: "day" } });
          return {
            data: { ...key, percent: UNITS, spent_micro: UNITS * 1e6, budget_micro: 100_000_000 },
            words: new RegExp(`budget of account ${name} has room again[\\s\\S]*has used 3\\.00 USD of 100\\.00 USD`),
          };
        };
        const spent = { percent, spent_micro: UNITS * 1e6, window: "day", time_zone: "UTC" };
        return {
          data: { ...key, ...spent },
          words: new RegExp(`${percent} percent of a budget of account ${name}`),
          end,
        };
      },
    }),
  ),
  {
    ...{ type: "key.expiring", when: "a key ends within 7 days" },
    make: async () => {
      const expires_at = new Date(Date.now() + 3 * 86_400_000).toISOString();
      const member = await newMember("Leaving", "100", { expires_at });
      const key = { key: member.key_id, key_name: "laptop" };
      const end = async () => {
        await gateway.admin("POST", `/keys/${member.key_id}/revoke`, {});
        return { data: { ...key, status: "revoked" }, words: /Key laptop of account Leaving is revoked/ };
      };
      return { data: { ...key, expires_at }, words: /key of account Leaving expires soon/, end };
    },
  },
  {
    ...{ type: "audit.found", when: "the books do not match" },
    make: async () => {
      const member = await newMember("Audited", "100");
      addDays(member.account, member.key_id, 1);
      await auditAgain();
      const end = async () => {
        write("DELETE FROM usage_days WHERE account_id = ?", member.account);
        await auditAgain();
        return { data: { problems: 0 }, words: /last audit found no problem/ };
      };
      return { data: {}, words: /audit found problems in the books[\s\S]*It found [1-9]\d* problems/, end };
    },
  },
  {
    ...{ type: "spend.unusual", when: "today costs three times a usual day" },
    make: async () => {
      const member = await newMember("Jumpy", "1000");
      const { account } = member;
      addDays(account, member.key_id, 1_000_000);
      for (let n = 0; n < 2; n += 1) expect(await call(member, "chat/dear")).toBe(200);
      const end = async () => {
        write("UPDATE usage_days SET cost_micro = 5000000 WHERE account_id = ? AND day < ?", account, DAY);
        return {
          data: { account, today_micro: 6_000_000, usual_micro: 5_000_000 },
          words: /Jumpy spends as on other days again[\s\S]*Today 6\.00 USD, on other days 5\.00 USD/,
        };
      };
      const data = { account, today_micro: 6_000_000, usual_micro: 1_000_000 };
      return { data, words: /Jumpy spends more than on other days/, end };
    },
  },
  {
    ...{ type: "circuit.opened", when: "a vendor cannot be reached" },
    make: async () => {
      const member = await newMember("Waiting", "100", { rpm: 100_000 });
      for (let n = 0; n < 5; n += 1) expect(await call(member, "gone/m")).toBe(503);
      const route = { vendor: "gone", model: "m" };
      const end = async () => {
        gone = Bun.serve({ port: gone_port, hostname: "127.0.0.1", fetch: () => Response.json(answerOf(USAGE)) });
        while ((await call(member, "gone/m")) !== 200) await Bun.sleep(200);
        return { data: route, words: /circuit to gone m is closed again[\s\S]*Requests are sent there again/ };
      };
      return { data: { ...route, reason: "unreachable" }, words: /circuit to gone m is open/, end };
    },
  },
  {
    ...{ type: "vendor.failing", when: "half of its calls fail" },
    make: async () => {
      const member = await newMember("Caller", "100", { rpm: 100_000 });
      // Those of two slots of five minutes, where one ends between them.
      for (let n = 0; n < 40; n += 1) await call(member, `shaky/m${n % 4}`);
      const end = async () => {
        await allCounted("shaky");
        write("UPDATE vendor_slots SET slot = slot - 10 WHERE vendor = 'shaky'");
        return {
          data: { vendor: "shaky", reason: "failures", attempts: 0, failures: 0, percent: 0 },
          words: /The vendor shaky no longer fails[\s\S]*Nothing was sent to it/,
        };
      };
      return { data: { vendor: "shaky", reason: "failures" }, words: /The vendor shaky fails[\s\S]*calls failed/, end };
    },
  },
  {
    ...{ type: "usage.unpriced", when: "a vendor tells usage that has no price" },
    make: async () => {
      const member = await newMember("Writer", "100");
      const prompt_tokens_details = { cache_write_tokens: 4, cache_write_tokens_details: { ttl_12h_tokens: 4 } };
      vendor.answer(answerOf({ ...USAGE, prompt_tokens_details }));
      expect(await call(member, "chat/plain")).toBe(200);
      vendor.answer(answerOf(USAGE));
      return { data: { model: "chat/plain" }, words: /Usage of chat\/plain has no price/ };
    },
  },
  {
    ...{ type: "incident.opened", when: "a vendor's usage contradicts a row" },
    make: async () => {
      // Of the call of the case before.
      const end = async () => {
        const closed = await runCamino(["incident", "close", "1", "--note", "seen", "--data", gateway.data], {
          cwd: gateway.data,
        });
        expect(closed).toMatchObject({ status: 0 });
        return { data: { incident: 1, kind: "wrong_row" }, words: /The incident 1 was closed/ };
      };
      return { data: { incident: 1, kind: "wrong_row" }, words: /An incident waits for a person/, end };
    },
  },
  {
    ...{ type: "loss.booked", when: "a charge could not be collected" },
    make: async () => {
      // Bounded by hold, cap and bytes, no usage that a vendor tells is believed and lost at once.
      write("UPDATE traffic_hours SET loss_micro = 120000 WHERE hour = (SELECT max(hour) FROM traffic_hours)");
      return {
        data: { currency: "USD" },
        words: /Losses were booked[\s\S]*were paid to vendors and charged to nobody/,
      };
    },
  },
];

test.each(CASES.map((each) => [each.type, each.when, each] as const))("%s: %s", async (type, _when, each) => {
  const { data, words, end } = await each.make();
  await told(type, data, words);
  const { data: open } = await gateway.admin<AlertList>("GET", "/alerts");
  expect(open.filter((one) => one.type === type && Bun.deepMatch(data, one.data))).toHaveLength(1);
  const { ended } = ALERT_TYPES[type];
  expect(end === undefined).toBe(ended === null);
  if (end === undefined || ended === null) return;
  const over = await end();
  await told(ended, over.data, over.words);
});

test("all types are among these, or are seen elsewhere; all that was told is in the history, and is sent again", async () => {
  const seen = new Set<string>([...CASES.map(({ type }) => type), ...ELSEWHERE]);
  expect(Object.keys(ALERT_TYPES).filter((type) => !seen.has(type))).toEqual([]);
  const { data } = await gateway.admin<DeliveryList>("GET", "/deliveries?limit=100");
  for (const channel of ["webhook", "slack", "mail"] as const) {
    const types = new Set(
      data.filter((one) => one.channel === channel && one.state !== "failed").map(({ type }) => type),
    );
    for (const { type } of CASES) {
      const { ended } = ALERT_TYPES[type];
      expect([...types]).toEqual(expect.arrayContaining(ended === null ? [type] : [type, ended]));
    }
    const [last] = data.filter((one) => one.channel === channel);
    const before = hook.taken.length + slack.taken.length + mail.mails.length;
    await gateway.admin("POST", `/deliveries/${last?.id}/resend`, {});
    while (hook.taken.length + slack.taken.length + mail.mails.length === before) await Bun.sleep(20);
  }
});
