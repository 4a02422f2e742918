import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Simulator, startSimulator } from "../../server.ts";

/** The refusals of Anthropic's API, in its sentences, and the refusals of vendors with its older rules. */

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.stop());

/** The answer's status, with the error's message where there is one. */
async function answerTo(model: string, messages: readonly object[]): Promise<string> {
  const reply = await fetch(`${simulator.base_url}/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
    body: JSON.stringify({ model, max_tokens: 10, messages }),
  });
  const { error } = (await reply.json()) as { error?: { message: string } };
  return error === undefined ? String(reply.status) : `${reply.status} ${error.message}`;
}

const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: unknown) => ({ role: "assistant", content });
const system = (content: unknown, more = {}) => ({ role: "system", content, ...more });
const call = assistant([{ type: "tool_use", id: "toolu_1", name: "w", input: {} }]);
const result = { type: "tool_result", tool_use_id: "toolu_1", content: "r" };
const searched = [{ type: "web_search_tool_result", tool_use_id: "s", content: [] }];

const EXCEPTION = "; the directive-only form (content: [] with output_config) is accepted at any position";
const FOLLOW = `role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result${EXCEPTION}`;
const PRECEDE = `role 'system' must precede an 'assistant' message or end the array${EXCEPTION}`;
const TOP_LEVEL = `use the top-level 'system' parameter for the initial system prompt${EXCEPTION}`;

const TAKEN: Readonly<Record<string, readonly object[]>> = {
  "at the end": [user("Hi"), system("x")],
  "before the assistant": [user("Hi"), system("x"), assistant("Hello"), user("ok")],
  "in a row": [user("Hi"), system("x"), system("y"), assistant("Hello"), user("ok"), system("last")],
  "behind results of tools": [user("Hi"), call, user([result]), system("x")],
  "with nothing but its output_config": [
    system([], { output_config: {} }),
    user("Hi"),
    assistant("Hello"),
    system([], { output_config: {} }),
    user("ok"),
  ],
};

const REFUSED: Readonly<Record<string, readonly [readonly object[], string]>> = {
  first: [[system("x"), system("y"), user("ok")], `messages.0: ${TOP_LEVEL}`],
  "behind the assistant": [[user("Hi"), assistant("Hello"), system("x"), user("ok")], `messages.2: ${FOLLOW}`],
  "between messages of the assistant": [
    [user("Hi"), assistant("A"), system("x"), assistant("B"), user("ok")],
    `messages.2: ${FOLLOW}`,
  ],
  "between messages of the user": [[user("Hi"), system("x"), user("ok")], `messages.1: ${PRECEDE}`],
  "two between messages of the user": [[user("Hi"), system("x"), system("y"), user("ok")], `messages.2: ${PRECEDE}`],
  "between a call and its result": [[user("Hi"), call, system("x"), user([result])], `messages.2: ${FOLLOW}`],
  "without blocks": [[user("Hi"), system([])], "messages.1: system content must contain at least one block"],
  "without text": [[user("Hi"), system("")], "messages.1: system content must contain at least one block"],
  "with an empty text": [
    [user("Hi"), system([{ type: "text", text: "" }])],
    "messages: text content blocks must be non-empty",
  ],
  "with an image": [
    [user("Hi"), system([{ type: "image" }])],
    "messages.1: role 'system' supports text, tool_addition, and tool_removal blocks only",
  ],
};

describe("a system message", () => {
  test.each(Object.entries(TAKEN))("is accepted %s", async (_place, messages) => {
    expect(await answerTo("mid-system", messages)).toBe("200");
  });

  test.each(Object.entries(REFUSED))("is refused %s", async (_place, [messages, words]) => {
    expect(await answerTo("mid-system", messages)).toBe(`400 ${words}`);
  });

  test("is refused at any place by a model without such messages", async () => {
    const words = "400 role 'system' is not supported on this model";
    for (const messages of Object.values(TAKEN)) expect(await answerTo("echo", messages)).toBe(words);
  });

  test("may stand after the result of a server tool", async () => {
    // The simulator does not know such blocks, but it checks their place first.
    const messages = [user("Hi"), assistant(searched), system("x"), assistant("Hello"), user("ok")];
    expect(await answerTo("mid-system", messages)).toContain("messages.1.content.0: Input tag");
  });
});

test("the assistant may begin, but not at vendors with the older rules", async () => {
  const messages = [assistant("Hello"), user("Hi")];
  expect(await answerTo("echo", messages)).toBe("200");
  expect(await answerTo("user-first", messages)).toBe('400 messages: first message must use the "user" role');
});

test("tool results must come before anything else", async () => {
  const late = [user("Hi"), call, user([{ type: "text", text: "well" }, result])];
  expect(await answerTo("echo", late)).toContain(
    "400 messages.2: `tool_use` ids were found without `tool_result` blocks",
  );
  expect(await answerTo("echo", [user("Hi"), call, user([result, { type: "text", text: "well" }])])).toBe("200");
});

test("documents are known only to models that accept them", async () => {
  const document = { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" } };
  const messages = [user("Hi"), call, user([{ ...result, content: [document] }])];
  expect(await answerTo("pdf", messages)).toBe("200");
  expect(await answerTo("no-documents", messages)).toContain("400 messages.2.content: Input tag 'document'");
});
