import fc from "fast-check";
import type {
  AssistantPart,
  GenerationRequest,
  Message,
  OutputFormat,
  Tool,
  ToolCallPart,
  ToolResultPart,
  UserPart,
} from "../../src/core/answer/generation.ts";
import { someText } from "./legal-events.ts";

/** Random neutral requests, for the law that decoding an encoded request gives the request back. */

/** The features that a style can express: a codec's law is limited to these. */
export interface SomeRequestsOptions {
  /** Parts of a user's message beside text. */
  readonly user_parts?: fc.Arbitrary<UserPart>;
  /** Parts of a replayed answer beside text and tool calls, in the style's order. */
  readonly answer_parts?: fc.Arbitrary<readonly AssistantPart[]>;
  readonly result_parts?: fc.Arbitrary<ToolResultPart>;
  readonly error_results?: boolean;
  readonly custom_tools?: boolean;
  readonly authorities?: readonly ("system" | "developer")[];
  /** Settings of the whole request, all optional. */
  readonly settings?: {
    readonly [Name in keyof GenerationRequest]?: fc.Arbitrary<NonNullable<GenerationRequest[Name]>>;
  };
}

const someName = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_-]{0,20}$/);
const SCHEMA = { type: "object", properties: { q: { type: "string" } }, required: ["q"] };

const someTool = (has_custom: boolean): fc.Arbitrary<Tool> => {
  const functions = fc.record(
    {
      kind: fc.constant("function" as const),
      name: someName,
      description: someText,
      parameters: fc.constant(SCHEMA),
      strict: fc.boolean(),
    },
    { requiredKeys: ["kind", "name"] },
  );
  const format = fc.constantFrom({ type: "text" }, { type: "grammar", syntax: "lark", definition: "start: WORD" });
  const custom = fc.record(
    { kind: fc.constant("custom" as const), name: someName, description: someText, format },
    { requiredKeys: ["kind", "name"] },
  );
  return has_custom ? fc.oneof(functions, custom) : functions;
};

export const someFormat: fc.Arbitrary<OutputFormat> = fc.oneof(
  fc.constant({ type: "json-object" as const }),
  fc.record(
    {
      type: fc.constant("json-schema" as const),
      name: someName,
      description: someText,
      schema: fc.constant(SCHEMA),
      strict: fc.boolean(),
    },
    { requiredKeys: ["type", "name", "schema"] },
  ),
);

function someCall(tools: readonly Tool[]): fc.Arbitrary<Omit<ToolCallPart, "id">> {
  return fc.constantFrom(...tools).chain((tool): fc.Arbitrary<Omit<ToolCallPart, "id">> => {
    const name = tool.kind === "hosted" ? tool.type : tool.name;
    const kind = tool.kind === "custom" ? "custom" : "function";
    const text = kind === "custom" ? someText : someText.map((q) => JSON.stringify({ q }));
    return text.map((written) => ({ type: "tool-call", name, kind, arguments: written }));
  });
}

/** A turn of the conversation: a user's message, an answer, and the results of the answer's tool calls. */
function someTurn(options: SomeRequestsOptions, tools: readonly Tool[], turn: number): fc.Arbitrary<Message[]> {
  const text = someText.map((said): UserPart => ({ type: "text", text: said }));
  const one = text.map((part) => [part]);
  const { user_parts } = options;
  const asked =
    user_parts === undefined
      ? one
      : fc.oneof(
          one,
          fc
            .tuple(fc.array(text, { maxLength: 1 }), user_parts, fc.array(text, { maxLength: 1 }))
            .map((all) => all.flat()),
        );
  const calls: fc.Arbitrary<Omit<ToolCallPart, "id">[]> =
    tools.length === 0 ? fc.constant([]) : fc.array(someCall(tools), { maxLength: 2 });
  const result = options.result_parts ?? someText.map((said): ToolResultPart => ({ type: "text", text: said }));
  return fc
    .record({
      asked,
      said: fc.option(someText),
      more: options.answer_parts ?? fc.constant<readonly AssistantPart[]>([]),
      calls,
      results: fc.array(result, { minLength: 2, maxLength: 2 }),
      failed: options.error_results ? fc.boolean() : fc.constant(false),
    })
    .map(({ asked: content, said, more, calls: called, results, failed }) => {
      const placed = called.map((call, at): ToolCallPart => ({ ...call, id: `call_${turn}_${at}` }));
      const text_parts: AssistantPart[] = said === null ? [] : [{ type: "text", text: said }];
      const reasoning = more.filter(({ type }) => type === "reasoning");
      const others = more.filter(({ type }) => type !== "reasoning");
      return [
        { role: "user", content },
        { role: "assistant", content: [...reasoning, ...text_parts, ...others, ...placed] },
        ...placed.map(
          ({ id }, at): Message => ({
            role: "tool",
            call_id: id,
            content: results.slice(at, at + 1),
            is_error: failed,
          }),
        ),
      ];
    });
}

/** Text-only messages have one part of text: styles that join parts cannot tell them apart. */
export function someRequests(options: SomeRequestsOptions = {}): fc.Arbitrary<GenerationRequest> {
  const settings = Object.fromEntries(
    Object.entries<fc.Arbitrary<unknown>>(options.settings ?? {}).map(([name, value]) => [
      name,
      fc.option(value, { nil: undefined }),
    ]),
  );
  const tools = fc.uniqueArray(someTool(options.custom_tools ?? false), {
    maxLength: 2,
    selector: (tool) => (tool.kind === "hosted" ? tool.type : tool.name),
  });
  const authority = fc.constantFrom(...(options.authorities ?? (["system"] as const)));
  return tools.chain((declared) => {
    const choices = [
      ...(["auto", "none", "required"] as const).map((mode) => ({ mode })),
      ...declared.map((tool) => ({ mode: "named" as const, name: tool.kind === "hosted" ? tool.type : tool.name })),
    ];
    return fc
      .record({
        stream: fc.boolean(),
        instructions: fc.option(fc.tuple(authority, someText)),
        turns: fc.tuple(someTurn(options, declared, 0), someTurn(options, declared, 1)),
        last: someText,
        tool_choice: declared.length === 0 ? fc.constant(null) : fc.option(fc.constantFrom(...choices)),
        chosen: fc.record(settings),
      })
      .map(({ stream, instructions, turns, last, tool_choice, chosen }) => {
        const system: Message[] =
          instructions === null
            ? []
            : [{ role: "system", authority: instructions[0], content: [{ type: "text", text: instructions[1] }] }];
        const said = Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined));
        return {
          model: "acme/swift",
          stream,
          messages: [...system, ...turns.flat(), { role: "user", content: [{ type: "text", text: last }] }],
          tools: declared,
          ...(tool_choice !== null && { tool_choice }),
          ...said,
          extras: {},
        };
      });
  });
}
