import { describe, expect, test } from "bun:test";
import { GatewayError } from "../../../src/core/errors.ts";
import { clientProtocols, decisionProtocols } from "../../../src/main/protocols.ts";
import { readCountRequest } from "../../../src/protocols/messages/client.ts";
import { named, times } from "./shape.ts";

/** The bounds of a request's shape (docs/rulings.md 140, docs/api.md 8): what is at the bound is read, one more is refused. */

const HEADERS = { get: (name: string) => (name === "anthropic-version" ? "2023-06-01" : null) };
const READERS = {
  "chat.completions": (text: string) => clientProtocols["chat.completions"].readRequest(text, HEADERS),
  responses: (text: string) => clientProtocols.responses.readRequest(text, HEADERS),
  messages: (text: string) => clientProtocols.messages.readRequest(text, HEADERS),
  count_tokens: (text: string) => readCountRequest(text, HEADERS),
  decisions: (text: string) => decisionProtocols.decisions.readRequest(text),
  systemone: (text: string) => decisionProtocols.systemone.readRequest(text),
} as const;
type Endpoint = keyof typeof READERS;

const QUESTION = { type: "predicate", instructions: "Is it?" };
const BODIES: Readonly<Record<Endpoint, Record<string, unknown>>> = {
  "chat.completions": { model: "m", messages: [{ role: "user", content: "Hi" }] },
  responses: { model: "m", input: "Hi" },
  messages: { model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] },
  count_tokens: { model: "m", messages: [{ role: "user", content: "Hi" }] },
  decisions: { model: "m", input: "Hi", questions: [QUESTION] },
  systemone: { model: "m", state: "Hi", questions: { a: { type: "noul", instructions: "Is it?" } } },
};

function refusal(endpoint: Endpoint, text: string): GatewayError | null {
  try {
    READERS[endpoint](text);
    return null;
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown;
    throw thrown;
  }
}

const user = { role: "user", content: "Hi" };
const blocks = (type: string) => (count: number) => [
  { role: "user", content: times(count, () => ({ type, text: "" })) },
];
const tool = { type: "function", name: "look", function: { name: "look" } };

interface Bound {
  readonly endpoints: readonly Endpoint[];
  readonly member: string;
  readonly most: number;
  readonly write: (count: number) => unknown;
  readonly code?: string;
  readonly sentence: string;
}

const GENERATION = ["chat.completions", "responses", "messages"] as const;

const BOUNDS: readonly Bound[] = [
  {
    endpoints: ["chat.completions", "messages", "count_tokens"],
    ...{ member: "messages", most: 100_000, write: (count) => times(count, () => user) },
    sentence: "'messages' has 100001 messages; allowed: at most 100000.",
  },
  {
    endpoints: ["responses"],
    ...{ member: "input", most: 100_000, write: (count) => times(count, () => user) },
    sentence: "'input' has 100001 items; allowed: at most 100000.",
  },
  {
    endpoints: ["decisions"],
    ...{ member: "input", most: 100_000, write: (count) => times(count, () => user) },
    sentence: "'input' has 100001 messages; allowed: at most 100000.",
  },
  {
    endpoints: ["chat.completions", "messages", "count_tokens"],
    ...{ member: "messages", most: 100_000, write: blocks("text") },
    sentence: "'messages' has 100001 content blocks and tool calls in all; allowed: at most 100000.",
  },
  {
    endpoints: ["responses", "decisions"],
    ...{ member: "input", most: 100_000, write: blocks("input_text") },
    sentence: "'input' has 100001 content blocks and tool calls in all; allowed: at most 100000.",
  },
  {
    endpoints: ["systemone"],
    ...{ member: "state", most: 100_000, write: (count) => times(count, () => ({ type: "text", text: "" })) },
    sentence: "'state' has 100001 parts; allowed: at most 100000.",
  },
  {
    endpoints: ["chat.completions", "messages", "count_tokens"],
    ...{ member: "tools", most: 4096, write: (count) => times(count, () => tool) },
    sentence: "'tools' has 4097 tools; allowed: at most 4096.",
  },
  {
    endpoints: ["responses"],
    ...{ member: "tools", most: 4096, write: (count) => times(count, () => tool) },
    sentence: "'tools' has 4097 tools, with those that its items bring; allowed: at most 4096.",
  },
  {
    endpoints: ["responses"],
    ...{ member: "tools", most: 4096 },
    write: (count) => [{ type: "namespace", name: "n", tools: times(count - 1, () => tool) }],
    sentence: "'tools' has 4097 tools, with those that its items bring; allowed: at most 4096.",
  },
  {
    endpoints: ["responses"],
    ...{ member: "input", most: 4096 },
    write: (count) => [user, { type: "additional_tools", tools: times(count, () => tool) }],
    sentence: "'tools' has 4097 tools, with those that its items bring; allowed: at most 4096.",
  },
  {
    endpoints: ["chat.completions"],
    ...{ member: "stop", most: 64, write: (count) => times(count, String) },
    sentence: "'stop' has 65 stop sequences; allowed: at most 64.",
  },
  {
    endpoints: ["messages"],
    ...{ member: "stop_sequences", most: 64, write: (count) => times(count, String) },
    sentence: "'stop_sequences' has 65 stop sequences; allowed: at most 64.",
  },
  {
    endpoints: ["decisions"],
    ...{ member: "questions", most: 400, write: (count) => times(count, () => QUESTION) },
    sentence: "'questions' has 401 questions; allowed: 1 to 400.",
  },
  {
    endpoints: ["systemone"],
    ...{ member: "questions", most: 400 },
    write: (count) => named(count, () => ({ type: "noul", instructions: "Is it?" })),
    sentence: "'questions' has 401 questions; allowed: 1 to 400.",
  },
  {
    endpoints: GENERATION,
    ...{ member: "metadata", most: 20_000, write: (count) => named(count, String) },
    sentence:
      "'metadata' has 20001 members; allowed: at most 20000 in an object outside schemas and the arguments of tools.",
  },
];

describe("a request may have", () => {
  for (const { endpoints, member, most, write, sentence } of BOUNDS) {
    for (const endpoint of endpoints) {
      test(`so much and no more on ${endpoint}: ${sentence}`, () => {
        const bodyOf = (count: number) => JSON.stringify({ ...BODIES[endpoint], [member]: write(count) });
        expect(refusal(endpoint, bodyOf(most))).toBeNull();
        const refused = refusal(endpoint, bodyOf(most + 1));
        expect(refused).toMatchObject({ message: sentence, row: { status: 400 } });
        expect(refused?.param).toBe(/^'(\w+)'/.exec(sentence)?.[1] ?? "");
      });
    }
  }

  for (const endpoint of Object.keys(READERS) as Endpoint[]) {
    test(`512 levels and no more on ${endpoint}, in members that are known and in others`, () => {
      for (const member of [...Object.keys(BODIES[endpoint]), "metadata", "tools", "unknown"]) {
        const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
        const bodyOf = (levels: number) =>
          JSON.stringify({ ...BODIES[endpoint], [member]: "@" }).replace('"@"', deep(levels - 1));
        for (const levels of [513, 200_000]) {
          const refused = refusal(endpoint, bodyOf(levels));
          expect(refused).toMatchObject({ code: "invalid_json", row: { status: 400 } });
          expect(refused?.message).toContain(
            `nested ${levels} levels deep, counted from the body; allowed: at most 512`,
          );
          expect(refused?.param).toStartWith(member);
        }
        expect(refusal(endpoint, bodyOf(512))?.code).not.toBe("invalid_json");
      }
    });
  }
});
