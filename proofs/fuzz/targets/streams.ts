import { readFileSync } from "node:fs";
import type { StreamAnswer } from "../../../src/core/answer/exchange.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import type { Usage } from "../../../src/core/money/usage.ts";
import { fixtureFiles } from "../inputs/fixtures.ts";
import { mutateFrames } from "../inputs/mutate-frames.ts";
import { SSE_WORDS } from "../inputs/odd-values.ts";
import { brokenLaw } from "../judge/broken-law.ts";
import { Broken, expectSame, expectThat, type FuzzTarget, piecesOf } from "./target.ts";
import { exchangeAt, WAYS, type WayAt, withoutChance } from "./ways.ts";

/** The first byte of an input chooses the way; the others are the vendor's stream. */
export const streams: FuzzTarget = {
  name: "streams",
  promise:
    "a client gets the same from a vendor's stream in pieces of any size, and a translated stream is legal however the vendor's is",
  words: SSE_WORDS,
  seeds,
  run,
  mutate: (input, draw, other) =>
    Buffer.concat([input.subarray(0, 1), mutateFrames(input.subarray(1), draw, other.subarray(1))]),
};

function seeds(): Buffer[] {
  return WAYS.flatMap(({ vendor }, index) => {
    const recorded = [
      ...fixtureFiles(".sse", vendorFolder(vendor)),
      ...fixtureFiles(".eventstream", vendorFolder(vendor)),
    ];
    return recorded.map((path) => Buffer.concat([Buffer.from([index]), readFileSync(path)]));
  });
}

function vendorFolder(vendor: string): string {
  return vendor;
}

const NO_USAGE: Usage = {
  input_tokens: 1,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 1,
  reasoning_tokens: 0,
};
const FAILURE = new GatewayError("provider_error", "The model service broke off.");
const WAYS_TO_END = ["finish", "fail", "cut"] as const;

function run(input: Buffer): void {
  const way = WAYS[(input[0] ?? 0) % WAYS.length] as WayAt;
  const bytes = input.subarray(1);
  const whole = replayed(way, [Buffer.from(bytes)]);
  expectSame(`${nameOf(way)}: the answers to the whole and to the pieces`, whole, replayed(way, piecesOf(bytes)));
  // A vendor's own frames reach clients of its protocol as they are, legal or not.
  if (isRelay(way)) return;
  for (const ending of WAYS_TO_END) {
    const text = ended(way, bytes, ending);
    if (text === null) continue;
    const law = brokenLaw(way.style, text);
    if (law !== null) throw new Broken(`${nameOf(way)}, ${ending}: ${law}\n${text.slice(-1500)}`);
  }
}

function isRelay({ style, vendor }: WayAt): boolean {
  return style.replace(".", "-") === vendor;
}

function nameOf({ style, vendor }: WayAt): string {
  return `${style} by ${vendor}`;
}

/** Everything that is known of an answer after the vendor closed the stream. */
function replayed(way: WayAt, pieces: readonly Buffer[]): unknown {
  const answer = exchangeAt(way).openStream();
  const output = fed(answer, pieces);
  checkReport(way, answer);
  return { ...reportOf(answer), output: withoutChance(output) };
}

function fed(answer: StreamAnswer, pieces: readonly Buffer[]): string {
  const out: Uint8Array[] = [];
  for (const piece of pieces) {
    // The pipeline reads no further behind a failure and behind the end.
    if (answer.failure !== null || answer.terminated || answer.ended_early === true) break;
    out.push(Buffer.from(answer.push(piece)));
  }
  out.push(Buffer.from(answer.end()));
  return Buffer.concat(out).toString();
}

function reportOf(answer: StreamAnswer): object {
  const { usage, output_bytes, output_sample, has_content, failure, complete, terminated } = answer;
  return {
    usage,
    output_bytes,
    output_sample: withoutChance(output_sample),
    has_content,
    failure,
    complete,
    terminated,
  };
}

function checkReport(way: WayAt, { usage, output_bytes, failure }: StreamAnswer): void {
  expectThat(
    output_bytes >= 0 && Number.isSafeInteger(output_bytes),
    `${nameOf(way)}: ${output_bytes} bytes were generated`,
  );
  if (failure !== null)
    expectThat(
      Number.isInteger(failure.status) && typeof failure.message === "string",
      `${nameOf(way)}: a failure is ${JSON.stringify(failure)}`,
    );
  if (usage === null) return;
  const { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens } = usage;
  for (const count of [input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens])
    expectThat(Number.isSafeInteger(count) && count >= 0, `${nameOf(way)}: a usage is ${JSON.stringify(usage)}`);
  expectThat(reasoning_tokens <= output_tokens, `${nameOf(way)}: more reasoning than output: ${JSON.stringify(usage)}`);
}

/** The whole stream as a client gets it when the answer ends in this way; null where the pipeline would not end it so. */
function ended(way: WayAt, bytes: Buffer, ending: (typeof WAYS_TO_END)[number]): string | null {
  const answer = exchangeAt(way).openStream();
  const sent = fed(answer, [Buffer.from(bytes)]);
  // Before content a failure has a status of its own, and no stream has begun.
  if (sent === "") return null;
  const is_whole = answer.complete && answer.failure === null;
  if (ending === "finish") return is_whole ? sent + textOf(answer.finish(NO_USAGE)) : null;
  if (!answer.has_content || is_whole) return null;
  if (ending === "cut") return answer.failure === null ? sent + textOf(answer.cut(NO_USAGE)) : null;
  return sent + textOf(answer.fail(FAILURE, "req_1"));
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}
