import { describe, expect, test } from "bun:test";
import { ALERT_TYPES, type AlertTypeName } from "./alert-types.ts";
import { alertWords } from "./alert-words.ts";

const timestamp = "2026-11-28T12:00:00.000Z";
const ACCOUNT = { account: "acct_1", account_name: "Studio North", currency: "EUR" };
const KEY = { key: "key_1", key_name: "laptop" };
const DATA: Readonly<Record<AlertTypeName, object>> = {
  "balance.low": { ...ACCOUNT, balance_micro: 2_340_000, days_left: 2 },
  "balance.empty": { ...ACCOUNT, balance_micro: 0 },
  "budget.reached": {
    ...ACCOUNT,
    holder: "key",
    ...KEY,
    percent: 100,
    spent_micro: 1,
    budget_micro: 1,
    window: "month",
    renews_at: "2026-12-01T00:00:00+01:00",
    time_zone: "Europe/Berlin",
  },
  "key.expiring": { ...ACCOUNT, ...KEY, expires_at: "2026-12-03T00:00:00.000Z" },
  "spend.unusual": { ...ACCOUNT, today_micro: 60_000_000, usual_micro: 20_000_000 },
  "vendor.failing": { vendor: "acme", reason: "slow", model: "swift", first_byte_ms: 6100, usual_ms: 1500 },
  "circuit.opened": { vendor: "acme", model: "swift", reason: "failures" },
  "cell.away": { cell: "north" },
  "incident.opened": { incident: 3, kind: "wrong_row", detail: "acme/swift" },
  "audit.found": { problems: 2 },
  "backup.late": { backed_up_at: null, after_s: 93_600 },
  "loss.booked": { loss_micro: 120_000, day: "2026-11-28", currency: "EUR" },
  "usage.unpriced": { model: "acme/swift", day: "2026-11-28" },
};

/** What is true at the end, where it is known. */
const AT_END: Partial<Record<AlertTypeName, object>> = {
  "balance.low": { ...ACCOUNT, balance_micro: 52_000_000, days_left: null },
  "balance.empty": { ...ACCOUNT, balance_micro: 52_000_000 },
  "key.expiring": { ...ACCOUNT, ...KEY, expires_at: "2026-11-28T11:00:00.000Z", status: "expired" },
  "vendor.failing": { vendor: "acme", reason: "failures", attempts: 0, failures: 0, percent: 0 },
  "audit.found": { problems: 0 },
  "backup.late": { backed_up_at: "2026-11-28T11:59:00.000Z", after_s: 93_600 },
};
const NAMES_ALONE = (type: AlertTypeName): object =>
  Object.fromEntries(
    Object.entries(DATA[type]).filter(([name]) => ALERT_TYPES[type].names.some((each) => each === name)),
  );

test("an end is told in what is true then, and in less where nothing is known any more", () => {
  const said = (type: AlertTypeName, data: object): string => {
    const words = alertWords({ type: ALERT_TYPES[type].ended ?? "", timestamp, data: { ...data } });
    return [words.title, ...words.sentences.slice(0, -1)].join(" | ");
  };
  const known = Object.entries(AT_END).map(([type, data]) => said(type as AlertTypeName, data));
  expect(known).toEqual([
    "The balance of account Studio North is no longer low | 52.00 EUR are left. | Its id: acct_1",
    "There is credit again in account Studio North | 52.00 EUR are left. | Its id: acct_1",
    "Key laptop of account Studio North is expired | It expired at 2026-11-28 11:00 UTC. | Its id: key_1",
    "The vendor acme no longer fails | Nothing was sent to it in the last five minutes.",
    "The last audit found no problem",
    "The database has a new backup | The last one that is known was made at 2026-11-28 11:59 UTC.",
  ]);
  const types = (Object.keys(ALERT_TYPES) as AlertTypeName[]).filter((type) => ALERT_TYPES[type].ended !== null);
  for (const type of types) expect(said(type, NAMES_ALONE(type))).not.toMatch(/undefined|NaN|null| 0\.00|\(\)/);
});

describe.each(Object.keys(ALERT_TYPES) as AlertTypeName[])("the words of %s", (type) => {
  const { ended } = ALERT_TYPES[type];
  const types = ended === null ? [type] : [type, ended];
  test.each(types)("(%s) are whole sentences, and say when", (told) => {
    const { title, sentences } = alertWords({ type: told, timestamp, data: { ...DATA[type] } });
    expect(sentences.at(-1)).toBe("Found at 2026-11-28 12:00 UTC.");
    for (const sentence of [title, ...sentences]) {
      expect(sentence).toMatch(/^[A-Z0-9]/);
      expect(sentence).not.toMatch(/ {2}|undefined|NaN|null| [.,:]/);
    }
  });

  test("are other ones for its end", () => {
    const titles = types.map((told) => alertWords({ type: told, timestamp, data: { ...DATA[type] } }).title);
    expect(new Set(titles).size).toBe(types.length);
  });
});

test("amounts are in the gateway's currency", () => {
  const data = { ...ACCOUNT, balance_micro: 2_340_000 };
  expect(alertWords({ type: "balance.low", timestamp, data }).sentences[0]).toBe("2.34 EUR are left.");
});

test("several at once are named with their ids, and counted", () => {
  const data = { count: 5, alerts: [{ ...ACCOUNT }, { account: "acct_2", account_name: "" }] };
  expect(alertWords({ type: "balance.low", timestamp, data })).toEqual({
    title: "5 alerts at once: balance low",
    sentences: [
      "The balance of account Studio North is low, acct_1",
      "The balance of account acct_2 is low, acct_2",
      "And 3 more.",
      "Found at 2026-11-28 12:00 UTC.",
    ],
  });
});
