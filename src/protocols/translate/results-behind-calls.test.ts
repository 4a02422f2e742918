import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { user } from "../../../proofs/support/generation.ts";
import { runs } from "../../../proofs/support/runs.ts";
import type { AssistantMessage, Message, ToolMessage } from "../../core/answer/generation.ts";
import { LEGAL_CALL_IDS } from "../shared/call-ids.ts";
import { NO_RESULT } from "../shared/substitute-texts.ts";
import { resultsBehindCalls } from "./results-behind-calls.ts";

const call = (id: string) => ({ type: "tool-call", id, name: "f", arguments: "{}", kind: "function" }) as const;
const assistant = (...content: AssistantMessage["content"]): Message => ({ role: "assistant", content });
const calls = (...ids: string[]) => assistant(...ids.map(call));
const result = (call_id: string, text = call_id): ToolMessage => ({
  role: "tool",
  call_id,
  content: [{ type: "text", text }],
  is_error: false,
});
const notes = (text: string): Message => ({
  role: "system",
  authority: "developer",
  content: [{ type: "text", text }],
});

/** Each message in short: who speaks, the ids of calls, what a result answers and says. */
function told(messages: readonly Message[], legal: RegExp = LEGAL_CALL_IDS.messages): readonly string[] {
  return resultsBehindCalls(messages, legal).map((message) => {
    const text = message.content.map((part) => ("text" in part ? part.text : "")).join("|");
    if (message.role === "tool") return `${message.call_id}: ${text}`;
    const ids = message.content.flatMap((part) => (part.type === "tool-call" ? [part.id] : []));
    return ids.length > 0 ? `calls ${ids.join(" ")}` : `${message.role} ${text}`;
  });
}

const LONG = "x".repeat(65);
const hashed = (id: string) => `call_${Bun.hash(id).toString(36)}`;

const CASES: readonly (readonly [string, readonly Message[], readonly string[]])[] = [
  [
    "a user's message between a call and its result",
    [user("a"), calls("c"), user("b"), result("c")],
    ["user a", "calls c", "c: c", "user b"],
  ],
  [
    "instructions between them",
    [user("a"), calls("c"), notes("n"), result("c"), user("b")],
    ["user a", "calls c", "c: c", "system n", "user b"],
  ],
  [
    "another answer between them",
    [user("a"), calls("c"), assistant(call("d")), result("d"), result("c")],
    ["user a", "calls c", "c: c", "calls d", "d: d"],
  ],
  [
    "results in the order in which the tools ended",
    [user("a"), calls("c", "d"), result("d"), user("b"), result("c")],
    ["user a", "calls c d", "c: c", "d: d", "user b"],
  ],
  [
    "one id in each turn",
    [user("a"), calls("c"), result("c", "1"), calls("c"), result("c", "2"), calls("c"), result("c", "3")],
    ["user a", "calls c", "c: 1", "calls c_2", "c_2: 2", "calls c_3", "c_3: 3"],
  ],
  [
    "one id for the calls of one turn",
    [user("a"), calls("c", "c", "d"), result("c", "1"), result("c", "2"), result("d")],
    ["user a", "calls c c_2 d", "c: 1", "c_2: 2", "d: d"],
  ],
  [
    "an id that was given to a repeated one",
    [calls("c", "c", "c_2"), result("c", "1"), result("c", "2"), result("c_2", "3")],
    ["calls c c_2 c_2_2", "c: 1", "c_2: 2", "c_2_2: 3"],
  ],
  [
    "empty ids, and ids of other signs",
    [calls("", "f:0"), result("", "1"), result("f:0", "2")],
    [`calls ${hashed("")} ${hashed("f:0")}`, `${hashed("")}: 1`, `${hashed("f:0")}: 2`],
  ],
  [
    "a call without a result",
    [user("a"), calls("c", "d"), result("d"), user("b")],
    ["user a", "calls c d", `c: ${NO_RESULT}`, "d: d", "user b"],
  ],
  [
    "a result that came twice, and one in two parts",
    [calls("c", "d"), result("c", "1"), result("c", "1"), result("d", "2"), result("d", "3")],
    ["calls c d", "c: 1", "d: 2|3"],
  ],
  [
    "a result whose call was cut off",
    [result("c", "1"), user("b")],
    ["user The result of the tool call c:|1", "user b"],
  ],
];

describe("results behind calls", () => {
  test.each(CASES)("%s", (_, messages, expected) => {
    expect(told(messages)).toEqual([...expected]);
  });

  test("an id is as long as the target takes it", () => {
    for (const [legal, most] of [
      [LEGAL_CALL_IDS.chat, 40],
      [LEGAL_CALL_IDS.responses, 64],
      [LEGAL_CALL_IDS.converse, 64],
    ] as const) {
      const ids = [LONG, LONG, `${LONG}y`, "x".repeat(most), "x".repeat(most), ""];
      const [answer] = resultsBehindCalls([calls(...ids)], legal) as [AssistantMessage];
      const given = answer.content.map((part) => (part.type === "tool-call" ? part.id : ""));
      expect(given.every((id) => legal.test(id))).toBe(true);
      expect(new Set(given).size).toBe(ids.length);
      expect(given[3]).toBe("x".repeat(most));
    }
  });

  const someId = fc.constantFrom("c", "c_2", "c_2_2", "", "f:0", LONG);
  const someMessage = fc.oneof(
    fc.constant(user("u")),
    fc.constant(notes("n")),
    fc.array(someId, { maxLength: 3 }).map((ids) => calls(...ids)),
    fc.tuple(someId, fc.constantFrom("1", "2")).map(([id, text]) => result(id, text)),
  );

  test("each call has one result right behind it, and what the target gets of a beginning stays as it goes on", () => {
    fc.assert(
      fc.property(fc.array(someMessage, { maxLength: 12 }), fc.nat(), (messages, cut) => {
        const all = resultsBehindCalls(messages, LEGAL_CALL_IDS.converse);
        const ids: string[] = [];
        for (const [index, message] of all.entries()) {
          if (message.role !== "assistant") continue;
          const own = message.content.flatMap((part) => (part.type === "tool-call" ? [part.id] : []));
          ids.push(...own);
          const behind = all.slice(index + 1, index + 1 + own.length);
          expect(behind.map((each) => (each.role === "tool" ? each.call_id : null))).toEqual(own);
          expect(all[index + 1 + own.length]?.role).not.toBe("tool");
        }
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.every((id) => LEGAL_CALL_IDS.converse.test(id))).toBe(true);
        expect(all.filter(({ role }) => role !== "tool").length).toBeGreaterThanOrEqual(
          messages.filter(({ role }) => role !== "tool").length,
        );
        const beginning = resultsBehindCalls(messages.slice(0, cut % (messages.length + 1)), LEGAL_CALL_IDS.converse);
        const kept = beginning.flatMap((message) =>
          message.role === "assistant" ? message.content.map((part) => ("id" in part ? part.id : "")) : [],
        );
        expect(ids.slice(0, kept.length)).toEqual(kept);
      }),
      { numRuns: runs(300) },
    );
  });
});
