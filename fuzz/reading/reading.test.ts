import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { runs } from "../../test/support/runs.ts";
import { STYLES } from "../targets/ways.ts";
import { streamedBy } from "./answer-by.ts";
import { LARGE_CHAT, mutilatedChat, SMALL_CHAT } from "./mutilate-chat.ts";
import { LARGE, type Mutilations, mutilatedStream, SMALL } from "./mutilate-responses.ts";
import { readBySdk, sorted } from "./sdk-readers.ts";

/**
 * The law of docs/rulings.md 201 and 202: whatever a vendor leaves out, repeats or counts wrong, official clients read the
 * answer to its end and have all of it.
 */

const FOLDER = join(import.meta.dir, "../../fixtures/responses");
const RECORDED = [
  "text",
  "tool-use",
  "parallel-tools",
  "interleaved-tools",
  "reasoning",
  "reasoning-text",
  "refusal",
  "without-usage",
];

const some = fc.nat({ max: 1000 });
const smallOf = (most: number) =>
  fc.array(fc.tuple(fc.constantFrom(...Object.keys(SMALL)), some, some), { minLength: 1, maxLength: most });
const mutilatedBy = (most: number) =>
  fc.record({
    recorded: fc.constantFrom(...RECORDED),
    small: smallOf(most),
    large: fc.tuple(fc.constantFrom(...Object.keys(LARGE)), some, some),
  });

const CHATS = [
  "openai-text",
  "openai-tools",
  "openai-parallel-tools",
  "deepseek-reasoning",
  "groq-reasoning",
  "mistral-tools",
  "xai-reasoning",
];
const mutilatedChats = fc.record({
  recorded: fc.constantFrom(...CHATS),
  small: fc.array(fc.tuple(fc.constantFrom(...Object.keys(SMALL_CHAT)), some, some), { minLength: 1, maxLength: 2 }),
  large: fc.tuple(fc.constantFrom(...Object.keys(LARGE_CHAT)), some, some),
});

const CASES = 150;
const TIMEOUT_MS = 60_000;

describe.each(STYLES)("a client of %s", (style) => {
  const read = async ({ recorded, ...how }: Mutilations & { readonly recorded: string }) => {
    const { stream, expected } = mutilatedStream(readFileSync(join(FOLDER, `${recorded}.sse`), "utf8"), how);
    const answered = streamedBy({ style, vendor: "responses" }, stream);
    return { got: sorted(await readBySdk(style, answered)), expected: sorted(expected) };
  };

  test(
    `has all of an answer whose stream was mutilated in one or two ways (${CASES} cases)`,
    async () => {
      const law = fc.asyncProperty(mutilatedBy(1), async (how) => {
        const { got, expected } = await read(how);
        expect(got).toEqual(expected);
      });
      await fc.assert(law, { numRuns: runs(CASES) });
    },
    TIMEOUT_MS,
  );

  test(
    `has nothing that was not said, or is told so, where more is missing than can be known (${CASES} cases)`,
    async () => {
      const law = fc.asyncProperty(mutilatedBy(4), async (how) => {
        const { got, expected } = await read(how);
        if (!("calls" in got) || !("calls" in expected)) return;
        for (const call of got.calls) expect(expected.calls).toContain(call);
      });
      await fc.assert(law, { numRuns: runs(CASES) });
    },
    TIMEOUT_MS,
  );

  test(
    `has all of a mutilated answer of a vendor of chat (${CASES} cases)`,
    async () => {
      const law = fc.asyncProperty(mutilatedChats, async ({ recorded, ...how }) => {
        const file = join(FOLDER, `../chat-completions/${recorded}.sse`);
        const { stream, expected } = mutilatedChat(readFileSync(file, "utf8"), how);
        const answered = streamedBy({ style, vendor: "chat-completions" }, stream);
        expect(sorted(await readBySdk(style, answered))).toEqual(sorted(expected));
      });
      await fc.assert(law, { numRuns: runs(CASES) });
    },
    TIMEOUT_MS,
  );
});
