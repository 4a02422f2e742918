import { expect, test } from "bun:test";
import type { GenerationRequest } from "../../core/answer/generation.ts";
import { fitCacheHints } from "./settings.ts";

const HINT = { cache: { ttl: null } };

function requestWith(hints: number): GenerationRequest {
  const content = Array.from({ length: hints - 1 }, (_, at) => ({
    type: "text" as const,
    text: `part ${at}`,
    ...HINT,
  }));
  return {
    model: "acme/swift",
    stream: false,
    tools: [{ kind: "function", name: "f", ...HINT }],
    messages: [{ role: "user", content }],
    extras: {},
  };
}

test("a request with four cache hints stays unchanged", () => {
  const request = requestWith(4);
  expect(fitCacheHints(request, true, undefined)).toBe(request);
});

test("of more than four cache hints the last four stay", () => {
  const { tools, messages } = fitCacheHints(requestWith(7), true, undefined);
  expect(tools).toEqual([{ kind: "function", name: "f" }]);
  const hinted = messages.flatMap(({ content }) => content.map((part) => "cache" in part));
  expect(hinted).toEqual([false, false, true, true, true, true]);
});
