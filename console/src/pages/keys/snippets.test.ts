import { describe, expect, test } from "bun:test";
import type { Model } from "../../../../contract/models.ts";
import { keySnippets, snippetModel } from "./snippets.ts";

const model = (id: string, kind: Model["kind"] = "chat") => ({ id, kind }) as Model;
const MODELS = [model("acme/decider", "decision"), model("acme/swift"), model("other/deep")];

interface Case {
  readonly key: Parameters<typeof snippetModel>[0];
  readonly asked: ReturnType<typeof snippetModel>;
}

describe("a snippet asks for a model that the key can use", () => {
  test.each<Case>([
    { key: { aliases: [], models: null }, asked: { model: "acme/swift", kind: "chat" } },
    { key: { aliases: [], models: ["other/*"] }, asked: { model: "other/deep", kind: "chat" } },
    { key: { aliases: [{ name: "fast", model: "acme/swift" }], models: null }, asked: { model: "fast", kind: "chat" } },
    {
      key: { aliases: [{ name: "fast", model: "acme/swift" }], models: ["other/*"] },
      asked: { model: "other/deep", kind: "chat" },
    },
    {
      key: { aliases: [{ name: "yes", model: "acme/decider" }], models: ["acme/decider"] },
      asked: { model: "yes", kind: "decision" },
    },
    { key: { aliases: [], models: ["nobody/*"] }, asked: null },
  ])("$key → $asked", ({ key, asked }) => {
    expect(snippetModel(key, MODELS)).toEqual(asked);
  });
});

test("every snippet has the key, the address and the model where it asks for one", () => {
  const snippets = keySnippets({ origin: "https://camino.example", key: "cm-secret", model: "fast", kind: "chat" });
  expect(snippets.map(({ label }) => label)).toEqual([
    "curl",
    "TypeScript",
    "TypeScript (Anthropic)",
    "Python",
    "Python (Anthropic)",
    "Claude Code",
    "Codex",
    "Environment",
  ]);
  for (const { id, code } of snippets) {
    expect(code).toContain("cm-secret");
    expect(code).toContain("https://camino.example");
    expect({ id, asks: code.includes("fast") }).toEqual({ id, asks: id !== "environment" });
  }
});

test("clients that add /v1 themselves get the address without it", () => {
  const snippets = keySnippets({ origin: "https://camino.example", key: "cm-secret", model: "fast", kind: "chat" });
  for (const id of ["typescript-anthropic", "python-anthropic", "claude-code"])
    expect(snippets.find((snippet) => snippet.id === id)?.code).not.toContain("camino.example/v1");
  expect(snippets.find(({ id }) => id === "codex")?.code).toContain('wire_api = "responses"');
});
