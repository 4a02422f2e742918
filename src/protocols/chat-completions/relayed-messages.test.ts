import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { someText } from "../../../proofs/support/legal-events.ts";
import { relayedMessages } from "./relayed-messages.ts";
import type { MessageDialect } from "./replay-reasoning.ts";

/** The changes that relay makes to messages, and proof that it makes no others (docs/rulings.md 166). */

const PLAIN: MessageDialect = {
  shape: undefined,
  issuer: "acme",
  requires_signatures: false,
  no_developer_role: false,
  strict_turns: false,
  refused: [],
};

function relay(text: string, dialect: Partial<MessageDialect>): string {
  return relayedMessages(JSON.parse(text), () => text, { ...PLAIN, ...dialect }) ?? text;
}

const CONTENT = { shape: "reasoning_content" } as const;
const EXTRA = { shape: "extra_content", requires_signatures: true } as const;
const REFUSED = { refused: ["reasoning_content", "reasoning", "reasoning_details", "extra_content"] };
const CALL = '{ "id":"c1", "type":"function","function":{"name":"look","arguments":"{\\"n\\":1.10}"} }';
const STAND_IN = '"extra_content":{"google":{"thought_signature":"skip_thought_signature_validator"}}';
const SIGNED = CALL.replace(" }", ',"extra_content":{"google":{"thought_signature":"c2ln"},"other":1e2} }');
const PACKED = SIGNED.replace("c2ln", "camino:vertex:signature::c2ln");
const UNSIGNED_DETAIL = '{"type":"reasoning.text","text":"Hm"}';

const OWN =
  '{"index":7e0,"type":"reasoning.encrypted" ,"data":"camino:acme:encrypted::a:b","format":"openai-responses-v1"}';
const ANOTHERS = OWN.replace("acme", "zeta");
const MAKERS = OWN.replace("camino:acme:encrypted::a:b", "gAAA");
const DETAILS = { shape: "reasoning_details" } as const;

test.each<[string, Partial<MessageDialect>, string, string]>([
  ...[ANOTHERS, MAKERS, OWN.replace("encrypted::a:b", "encry")].map(
    (foreign, at): [string, Partial<MessageDialect>, string, string] => [
      `no values of others, and their text: ${at}`,
      DETAILS,
      `[{"role":"assistant","content":"So.","reasoning_details":[{"type":"reasoning.summary","summary":"Hm","format":"openai-responses-v1"},${foreign}]}]`,
      '[{"role":"assistant","content":"So.","reasoning_details":[{"type":"reasoning.text","text":"Hm","format":"unknown","index":0}]}]',
    ],
  ),
  [
    "no details where all were of others",
    {},
    `[{"role":"assistant","content":"So.","reasoning_details":[${ANOTHERS}]}]`,
    '[{"role":"assistant","content":"So."}]',
  ],
  [
    "no signature of a call that another vendor made",
    {},
    `[{"role":"assistant","tool_calls":[${PACKED}]}]`,
    `[{"role":"assistant","tool_calls":[${PACKED.replace(/"google":\{[^}]*\},|e2/g, "").replace('"other":1', '"other":100')}]}]`,
  ],
  [
    "a stand-in for the signature that another vendor made",
    EXTRA,
    `[{"role":"assistant","tool_calls":[${PACKED}]}]`,
    `[{"role":"assistant","tool_calls":[${PACKED.replace("camino:vertex:signature::c2ln", "skip_thought_signature_validator").replace("1e2", "100")}]}]`,
  ],
  [
    "an empty field beside calls where the client kept none",
    CONTENT,
    `[ {"role":"assistant", "content":null,"x":98765432109876543210 , "tool_calls":[${CALL}]} ,{"role":"user","content":"\\u0048i"}]`,
    `[ {"role":"assistant", "content":null,"x":98765432109876543210 , "tool_calls":[${CALL}],"reasoning_content":""} ,{"role":"user","content":"\\u0048i"}]`,
  ],
  [
    "an empty field in place of null",
    CONTENT,
    `[{"role":"assistant","reasoning_content" : null,"tool_calls":[${CALL}]}]`,
    `[{"role":"assistant","reasoning_content" : "","tool_calls":[${CALL}]}]`,
  ],
  [
    "reasoning that the client kept in the other field",
    CONTENT,
    `[{"role":"assistant","content":"So.","reasoning":"Hm"}]`,
    `[{"role":"assistant","content":"So.","reasoning":"Hm","reasoning_content":"Hm"}]`,
  ],
  [
    "reasoning that the client kept in details",
    CONTENT,
    `[{"role":"assistant","content":"So.","reasoning_details":[${UNSIGNED_DETAIL}]}]`,
    `[{"role":"assistant","content":"So.","reasoning_details":[${UNSIGNED_DETAIL}],"reasoning_content":"Hm"}]`,
  ],
  [
    "reasoning that the client kept as a part of the content",
    CONTENT,
    `[{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm"}]},{"type":"text","text":"So."}]}]`,
    `[{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm"}]},{"type":"text","text":"So."}],"reasoning_content":"Hm"}]`,
  ],
  [
    "nothing where the field is present",
    CONTENT,
    `[{"role":"assistant","reasoning_content":"Hm","reasoning":"other","tool_calls":[${CALL}]}]`,
    `[{"role":"assistant","reasoning_content":"Hm","reasoning":"other","tool_calls":[${CALL}]}]`,
  ],
  [
    "nothing to answers without calls and reasoning, and to messages of other roles",
    CONTENT,
    `[{"role":"assistant","content":"So.","tool_calls":null},{"role":"assistant","content":"","tool_calls":[]},{"role":"user","content":"x","reasoning":"y"}]`,
    `[{"role":"assistant","content":"So.","tool_calls":null},{"role":"assistant","content":"","tool_calls":[]},{"role":"user","content":"x","reasoning":"y"}]`,
  ],
  [
    "the stand-in to the first unsigned call of a row",
    EXTRA,
    `[{"role":"assistant","tool_calls":[ ${CALL}, ${CALL.replace("c1", "c2")}]}]`,
    `[{"role":"assistant","tool_calls":[ ${CALL.replace('}"} }', `}"},${STAND_IN} }`)}, ${CALL.replace("c1", "c2")}]}]`,
  ],
  [
    "no stand-in to a model that does not require signatures",
    { shape: "extra_content" },
    `[{"role":"assistant","tool_calls":[${CALL}]}]`,
    `[{"role":"assistant","tool_calls":[${CALL}]}]`,
  ],
  [
    "nothing to a signed call",
    EXTRA,
    `[{"role":"assistant","tool_calls":[${SIGNED}]}]`,
    `[{"role":"assistant","tool_calls":[${SIGNED}]}]`,
  ],
  [
    "the stand-in beside other members of the extra content",
    EXTRA,
    `[{"role":"assistant","tool_calls":[{"id":"c1","extra_content":{"other":1},"type":"function"}]}]`,
    `[{"role":"assistant","tool_calls":[{"id":"c1","extra_content":{"other":1,${STAND_IN.slice(17)},"type":"function"}]}]`,
  ],
  [
    "no reasoning to vendors that refuse it",
    REFUSED,
    `[{"role":"assistant","reasoning":"a", "content":"So.","reasoning_content":"b","reasoning_details":[{}] ,"tool_calls":[${SIGNED} ]},{"role":"user","content":"x","reasoning":1}]`,
    `[{"role":"assistant", "content":"So." ,"tool_calls":[${CALL} ]},{"role":"user","content":"x","reasoning":1}]`,
  ],
])("gives %s", (_name, dialect, text, expected) => {
  expect(relay(text, dialect)).toBe(expected);
  // Relay is idempotent: a second gateway in the row changes nothing.
  expect(relay(expected, dialect)).toBe(expected);
});

test.each([undefined, "reasoning_details", "reasoning_content"] as const)(
  "gives back a vendor's own values as it wrote them where it takes reasoning as %s",
  (shape) => {
    const message = (detail: string) =>
      `[{"role":"assistant","content":"So.","reasoning_content":"", "reasoning_details":[{},${detail},1]}]`;
    expect(relay(message(OWN), { shape })).toBe(message(OWN.replace("camino:acme:encrypted::", "")));
  },
);

const member = fc.option(fc.oneof(someText, fc.constant(null), fc.constant("")), { nil: undefined });
const someCall = fc.record({
  id: fc.string({ minLength: 1, maxLength: 40 }),
  type: fc.constant("function"),
  function: fc.record({ name: someText, arguments: fc.json() }),
});
const someMessage = fc.record(
  {
    role: fc.constantFrom("assistant", "user", "developer", "tool"),
    content: someText,
    reasoning_content: member,
    reasoning: member,
    reasoning_details: fc.array(fc.record({ type: fc.constantFrom("reasoning.text", "other"), text: someText })),
    tool_calls: fc.array(someCall, { maxLength: 3 }),
    other: fc.jsonValue(),
  },
  { requiredKeys: ["role", "content"] },
);
/** Results behind answers and other results alone, and no id of a call twice: both are changed. */
const conversation = fc.array(someMessage, { maxLength: 6 }).map((messages) => {
  const kept = messages.map(({ role }, at) => role !== "tool" || /assistant|tool/.test(messages[at - 1]?.role ?? ""));
  const ids = new Set<string>();
  const ownId = (id: string) => {
    const own = ids.has(id) ? `${id.slice(0, 30)}-${ids.size}` : id;
    ids.add(own);
    return own;
  };
  return JSON.stringify(
    messages.map(({ tool_calls, ...message }, at) => ({
      ...message,
      ...(kept[at] ? {} : { role: "assistant" }),
      ...(tool_calls && { tool_calls: tool_calls.map((call) => ({ ...call, id: ownId(call.id) })) }),
    })),
    null,
    1,
  );
});

interface SomeMessage {
  readonly role: string;
  readonly tool_calls?: readonly unknown[];
  readonly reasoning_content?: unknown;
}

describe("any conversation", () => {
  test("stays unchanged for a vendor without such quirks, and its text is not read", () => {
    fc.assert(
      fc.property(conversation, (text) => {
        const untouched = () => {
          throw new Error("looked at");
        };
        expect(relayedMessages(JSON.parse(text), untouched, PLAIN)).toBeNull();
      }),
    );
  });

  test("gets reasoning beside its calls for a vendor that requires it, and nothing else changes", () => {
    fc.assert(
      fc.property(conversation, (text) => {
        const before = JSON.parse(text) as SomeMessage[];
        const after = JSON.parse(relay(text, CONTENT)) as SomeMessage[];
        expect(after).toHaveLength(before.length);
        for (const [at, { reasoning_content, ...rest }] of after.entries()) {
          const { reasoning_content: sent = null, ...others } = before[at] as SomeMessage;
          expect(rest).toEqual(others);
          if (sent !== null) expect(reasoning_content).toEqual(sent);
          const calls = rest.role === "assistant" && (rest.tool_calls ?? []).length > 0;
          if (calls) expect(reasoning_content).toEqual(expect.any(String));
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("the notes of LiteLLM's client library", () => {
  const noted = `[{"role":"user","content":"Go.","provider_specific_fields":1},
    {"role":"assistant", "content":null,"provider_specific_fields":{"refusal":null},"x":1.0,
     "tool_calls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{}"},"provider_specific_fields":{}}]},
    {"role":"tool","tool_call_id":"c1","content":"done"}]`;

  test("are left out of answers and calls, and every other byte stays", () => {
    expect(relay(noted, {})).toBe(
      noted.replace(`"provider_specific_fields":{"refusal":null},`, "").replace(`,"provider_specific_fields":{}`, ""),
    );
  });

  test("are left out beside the fields that the vendor refuses", () => {
    expect(relay(noted, { refused: ["x"] })).not.toMatch(/"x":|"provider_specific_fields":\{/);
  });

  test("are sent where a vendor's answers are written anew with their reasoning", () => {
    expect(relay(noted, { shape: "reasoning_content" })).toContain(`"provider_specific_fields":{"refusal":null}`);
  });
});
