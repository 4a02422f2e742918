import { readFileSync } from "node:fs";
import type { Protocol } from "../../../src/core/endpoints.ts";
import { isObject } from "../../../src/core/json.ts";
import type { Draw } from "../../torture/draw.ts";
import { fixtureFiles } from "../inputs/fixtures.ts";
import type { Asked } from "./asked.ts";

/** Answers of real vendors, which the fuzzer's vendor gives as they are or changed. */
export interface Payload {
  readonly content_type: string;
  readonly body: Buffer;
}

const recorded = new Map<string, readonly Buffer[]>();

function recordings(protocol: Protocol, ending: string): readonly Buffer[] {
  const key = `${protocol}${ending}`;
  let found = recorded.get(key);
  if (found === undefined) {
    const paths = fixtureFiles(ending, protocol).filter((path) => !/request|published|README/.test(path));
    found = paths.map((path) => readFileSync(path));
    recorded.set(key, found);
  }
  return found;
}

/** An answer in the protocol that was asked for, streamed or not. The marker stands in its texts. */
export function recordedAnswer({ protocol, stream, body }: Asked, marker: string, draw: Draw): Payload {
  if (protocol === "decisions" || protocol === "systemone")
    return { content_type: "application/json", body: Buffer.from(JSON.stringify(decisionAnswer(protocol, body))) };
  const ending = !stream ? ".json" : protocol === "bedrock-converse" ? ".eventstream" : ".sse";
  const content_type = !stream
    ? "application/json"
    : protocol === "bedrock-converse"
      ? "application/vnd.amazon.eventstream"
      : "text/event-stream";
  const bytes = draw.one(recordings(protocol, ending));
  const own = `${marker.replaceAll("-", "")}${draw.whole(0, 1e9).toString(36)}`;
  // Binary events have checksums, which another text would break.
  return { content_type, body: ending === ".eventstream" ? bytes : marked(bytes, marker, own) };
}

const TEXT = /("(?:content|text|delta|thinking|reasoning_content)": ?")(?=[A-Za-z])/g;

const ID = /"((?:resp|msg|rs|fc|ctc|chatcmpl|item)[_-][0-9A-Za-z-]+)"/g;

/** With the case's marker in its texts, and with ids of its own: no vendor gives two answers one id. */
function marked(bytes: Buffer, marker: string, own: string): Buffer {
  const text = bytes.toString().replaceAll(TEXT, `$1${marker}`);
  return Buffer.from(text.replaceAll(ID, `"$1${own}"`));
}

/** A sound decision about the questions that are asked. */
function decisionAnswer(shape: "decisions" | "systemone", body: Asked["body"]): unknown {
  const questions = body?.questions;
  const usage = { input_tokens: 12, output_tokens: 0 };
  if (shape === "decisions") {
    const asked = Array.isArray(questions) ? questions.filter(isObject) : [];
    return { model: "m", answers: asked.map(decide), usage: { ...usage, total_tokens: 12 } };
  }
  const named = isObject(questions) ? Object.entries(questions) : [];
  const answers = named.map(([name, question]) => [name, isObject(question) ? decideKeyed(question) : {}] as const);
  return { model: "m", answers: Object.fromEntries(answers), usage };
}

function decide(question: Readonly<Record<string, unknown>>): unknown {
  const { type, name = null } = question;
  const options = Array.isArray(question.choices ?? question.levels)
    ? ((question.choices ?? question.levels) as unknown[])
    : [];
  const share = 1 / Math.max(1, options.length);
  if (type === "predicate") return { type, name, probability: 0.75 };
  if (type === "choice") {
    const values = options.map((option) => (isObject(option) ? option.value : option));
    return {
      type,
      name,
      choice: values[0],
      confidence: share,
      probabilities: values.map((value) => ({ value, probability: share })),
    };
  }
  const probabilities = options.map((option, value) => ({
    value,
    label: isObject(option) ? option.label : null,
    probability: share,
  }));
  return { type, name, score: (options.length - 1) / 2, confidence: share, probabilities };
}

function decideKeyed({ type, criteria }: Readonly<Record<string, unknown>>): unknown {
  if (type === "noul") return { type, noul: 0.75 };
  const names = Array.isArray(criteria)
    ? criteria.map((_, at) => String(at))
    : isObject(criteria)
      ? Object.keys(criteria)
      : [];
  const probabilities = Object.fromEntries(names.map((name) => [name, 1 / names.length]));
  const confidence = 1 / Math.max(1, names.length);
  if (type === "choice") return { type, choice: names[0], confidence, probabilities };
  return { type, score: (names.length - 1) / 2, confidence, legend: {}, probabilities };
}
