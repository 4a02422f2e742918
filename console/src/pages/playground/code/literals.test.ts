import { expect, test } from "bun:test";
import { pythonArguments, pythonLiteral, typescriptLiteral } from "./literals.ts";
import { requestSnippets } from "./snippets.ts";

const VALUE = { model: "sim/echo", stream: true, stop: null, "max-x": 1.5, tools: [], said: 'a "quoted"\nline' };

test("TypeScript's literal evaluates to the value", () => {
  const run = new Function(`return ${typescriptLiteral(VALUE)}`) as () => unknown;
  expect(run()).toEqual(VALUE);
});

test("Python's literal has Python's True, False and None", () => {
  expect(pythonLiteral({ a: true, b: [false, null] })).toBe('{"a": true, "b": [False, None]}'.replace("true", "True"));
  expect(pythonArguments({ model: "sim/echo", stream: true, left_out: undefined })).toBe(
    '    model="sim/echo",\n    stream=True,\n',
  );
});

test("curl's body survives the shell's quotes, and no snippet has a key in it", () => {
  const body = { model: "sim/echo", messages: [{ role: "user", content: "it's" }] };
  const [curl] = requestSnippets({ style: "chat", body, origin: "http://127.0.0.1:8787" });
  const { stdout } = Bun.spawnSync(["sh", "-c", (curl?.code ?? "").replace(/^curl/, "printf '%s\\n'")]);
  const words = stdout.toString();
  expect(words).toContain('"content": "it\'s"');
  expect(JSON.parse(words.slice(words.indexOf("\n{") + 1))).toEqual(body);
});
