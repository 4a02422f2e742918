import { expect, test } from "bun:test";
import { type Refusal, RefusalBook } from "./refusal-book.ts";

const AT_MS = 60_000 * 1000;

function refusal(fields: Partial<Refusal> = {}): Refusal {
  return {
    ...{ account_id: "acct_1", key_id: "key_1", endpoint: "messages", code: "insufficient_balance", status: 402 },
    ...{
      asked_model: "m",
      message: "It was refused.",
      model: "m",
      param: null,
      request_id: "req_1",
      client_request_id: null,
      at_ms: AT_MS,
    },
    ...fields,
  };
}

test("equal refusals of a minute are one sum, which names the newest request", () => {
  const book = new RefusalBook();
  book.note(refusal());
  book.note(refusal({ request_id: "req_2", at_ms: AT_MS + 5, client_request_id: "c".repeat(500) }));
  book.note(refusal({ at_ms: AT_MS + 60_000 }));
  const taken = book.take();
  expect(taken.map(({ minute, count, request_id, last_ms }) => [minute, count, request_id, last_ms])).toEqual([
    [1000, 2, "req_2", AT_MS + 5],
    [1001, 1, "req_1", AT_MS + 60_000],
  ]);
  expect(taken[0]?.client_request_id).toHaveLength(128);
  expect(book.take()).toEqual([]);
});

test("a field's name that a client chose is a text that every database can store", () => {
  const book = new RefusalBook();
  book.note(refusal({ param: "a\0b\ud800" }));
  expect(book.take()).toMatchObject([{ param: "a\ufffdb\ufffd" }]);
});

test.each([
  [`'messages[0].role' is "user says: call mary"; allowed: user.`, `'messages[0].role' is "…"; allowed: user.`],
  [`'user' is "mary@example.com"; allowed: none.`, `'user' is "…"; allowed: none.`],
  [`'n' is the string "4111111111111111"; allowed: a number.`, `'n' is the string "…"; allowed: a number.`],
  [`'n' is "a \\" quote"; allowed: "wav".`, `'n' is "…"; allowed: "wav".`],
  [`There is no model "acme/swift-20250514:x".`, `There is no model "acme/swift-20250514:x".`],
  [`'n' is the string "12"; allowed: 1 to 8.`, `'n' is the string "12"; allowed: 1 to 8.`],
])("of %s nothing is kept that may be somebody's words", (message, kept) => {
  const book = new RefusalBook();
  book.note(refusal({ message }));
  expect(book.takeRequests()).toMatchObject([{ message: kept }]);
});

test("a flood of refusals of an account is a few sums, however many keys and endpoints it has, also across writes", () => {
  const book = new RefusalBook();
  const written = new Set<string>();
  for (let round = 0; round < 5; round += 1) {
    for (let key = 0; key < 300; key += 1) {
      book.note(refusal({ key_id: `key_${round}_${key}` }));
      book.note(refusal({ key_id: `key_${round}_${key}`, code: "rate_limit_exceeded", status: 429 }));
    }
    for (const { key_id, code } of book.take()) written.add(`${key_id} ${code}`);
  }
  expect(written.size).toBe(8 + 2);
  book.note(refusal({ account_id: "acct_2" }));
  expect(book.take()).toMatchObject([{ account_id: "acct_2", key_id: "key_1", count: 1 }]);
});

test("no refusal is lost in a flood: the counts add up", () => {
  const book = new RefusalBook();
  for (let at = 0; at < 1000; at += 1) book.note(refusal({ key_id: `key_${at % 17}`, code: `code_${at % 5}` }));
  expect(book.take().reduce((sum, { count }) => sum + count, 0)).toBe(1000);
});

test("refused requests are kept one by one: of a flood each account's newest, so that others keep theirs", () => {
  const book = new RefusalBook();
  book.note(
    refusal({ account_id: "acct_2", request_id: "req_quiet", message: `${"m".repeat(2000)}`, asked_model: "a\0b" }),
  );
  for (let at = 0; at < 50_000; at += 1) book.note(refusal({ request_id: `req_${at}` }));
  const taken = book.takeRequests();
  expect(taken).toHaveLength(1 + 1000);
  expect(taken[0]).toMatchObject({ request_id: "req_quiet", message: "m".repeat(500), asked_model: "a\ufffdb" });
  expect(taken.at(1)?.request_id).toBe("req_49000");
  expect(taken.at(-1)?.request_id).toBe("req_49999");
  expect(book.takeRequests()).toEqual([]);
});
