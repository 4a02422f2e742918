import { readFileSync } from "node:fs";
import type { VendorFailure, WholeAnswer } from "../../../src/core/answer/exchange.ts";
import { bytesOf } from "../../../src/core/answer/sent-body.ts";
import { fixtureFiles } from "../inputs/fixtures.ts";
import { JSON_WORDS } from "../inputs/odd-values.ts";
import { mutateText } from "./json-members.ts";
import { Broken, expectSame, expectThat, type FuzzTarget } from "./target.ts";
import { exchangeAt, WAYS, type WayAt, withoutChance } from "./ways.ts";

/** The first byte of an input chooses the way; the others are the vendor's body. */
export const wholes: FuzzTarget = {
  name: "wholes",
  promise: "a vendor's body is read without an error, whatever it is, and what a client gets is JSON",
  words: JSON_WORDS,
  seeds: () =>
    WAYS.flatMap(({ vendor }, index) =>
      fixtureFiles(".json", vendor).map((path) => Buffer.concat([Buffer.from([index]), readFileSync(path)])),
    ),
  run,
  mutate: (input, draw, other) =>
    Buffer.concat([input.subarray(0, 1), mutateText(input.subarray(1), draw, other.subarray(1))]),
};

const BILLED = { input_tokens: 3, cache_read_tokens: 0, cache_write_tokens: 0, output_tokens: 2, reasoning_tokens: 0 };

function run(input: Buffer): void {
  const way = WAYS[(input[0] ?? 0) % WAYS.length] as WayAt;
  const bytes = input.subarray(1);
  const name = `${way.style} by ${way.vendor}`;
  const answer = exchangeAt(way).readWhole(Buffer.from(bytes));
  const text = bytes.toString("utf8");
  // A body that is whole UTF-8 arrives as text, and means the same.
  if (!text.includes("\ufffd") && !text.startsWith("\ufeff"))
    expectSame(
      `${name}: the answers to bytes and to text`,
      reportOf(answer),
      reportOf(exchangeAt(way).readWhole(text)),
    );
  checkError(name, exchangeAt(way).readError(429, text));
  if (answer.failure !== null) {
    const { status, message } = answer.failure;
    return expectThat(
      Number.isInteger(status) && typeof message === "string",
      `${name}: a failure is ${JSON.stringify(answer.failure)}`,
    );
  }
  expectJson(name, bytesOf(answer.body).toString());
  if (answer.bodyWith !== undefined) expectJson(name, bytesOf(answer.bodyWith(BILLED)).toString());
  for (const [kind, count] of Object.entries(answer.usage ?? {}))
    if (kind !== "extra" && kind !== "served")
      expectThat(Number.isSafeInteger(count) && Number(count) >= 0, `${name}: ${kind} is ${JSON.stringify(count)}`);
  // A client is told what is billed, or nothing: the vendor's own count is not to be believed where there is none.
  expectThat(answer.output_bytes >= 0, `${name}: ${answer.output_bytes} bytes were generated`);
}

/** The body read as that of an error. */
function checkError(name: string, { status, message, retry_after_ms }: VendorFailure): void {
  const is_delay = retry_after_ms === null || (Number.isSafeInteger(retry_after_ms) && retry_after_ms >= 0);
  expectThat(
    Number.isInteger(status) && typeof message === "string" && is_delay,
    `${name}: an error is ${JSON.stringify({ status, message, retry_after_ms })}`,
  );
}

function reportOf({ usage, output_bytes, output_sample, failure, body }: WholeAnswer): object {
  const text = failure === null ? withoutChance(bytesOf(body).toString()) : null;
  return { usage, output_bytes, output_sample, failure, text };
}

function expectJson(name: string, text: string): void {
  try {
    JSON.parse(text);
  } catch (thrown) {
    throw new Broken(
      `${name}: what the client gets is no JSON (${thrown instanceof Error ? thrown.message : ""}): ${text.slice(0, 600)}`,
      { cause: thrown },
    );
  }
}
