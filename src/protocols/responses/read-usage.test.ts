import { describe, expect, test } from "bun:test";
import { callsIn, readUsage, writeUsage } from "./read-usage.ts";

const usage = { input_tokens: 10, cache_read_tokens: 0, cache_write_tokens: 0, output_tokens: 4, reasoning_tokens: 0 };

describe("a usage of responses", () => {
  test("counts calls of the vendor's tools from the items of the answer", () => {
    const output = [
      { type: "reasoning" },
      { type: "web_search_call", action: { type: "search", query: "a" } },
      { type: "web_search_call", action: { type: "open_page", url: "b" } },
      { type: "web_search_call", action: { type: "find_in_page" } },
      { type: "web_search_call" },
      { type: "file_search_call" },
      { type: "code_interpreter_call", container_id: "c1" },
      { type: "code_interpreter_call", container_id: "c1" },
      { type: "code_interpreter_call", container_id: "c2" },
      { type: "function_call" },
      "odd",
    ];
    const calls = { web_search: 2, file_search: 1, code_interpreter: 2 };
    expect(callsIn(output)).toEqual(calls);
    expect(readUsage({ input_tokens: 10, output_tokens: 4 }, output)).toEqual({ ...usage, extra: { calls } });
  });

  test("has the vendor's own count of tool calls where it sends one, as xAI does", () => {
    const raw = {
      ...{ input_tokens: 10, output_tokens: 4, num_server_side_tools_used: 6 },
      server_side_tool_usage_details: { web_search_calls: 3, x_search_calls: 2, mcp_calls: 1, view_image_calls: 1 },
    };
    expect(readUsage(raw, [{ type: "web_search_call" }])).toEqual({
      ...usage,
      extra: { calls: { web_search: 3, x_search: 2 }, unpriced: ["view_image_calls"] },
    });
  });

  test("has audio and images as parts of its classes, and shows clients the vendor's details", () => {
    const raw = { input_tokens: 10, output_tokens: 4, input_tokens_details: { audio_tokens: 6, image_tokens: 2 } };
    const read = readUsage(raw, []);
    expect(read).toEqual({ ...usage, extra: { parts: { input_audio: 6, input_image: 2 } } });
    expect(read && writeUsage(read).input_tokens_details).toMatchObject({ audio_tokens: 6, image_tokens: 2 });
    expect(readUsage({ ...raw, input_tokens: 7 }, [])).toBeNull();
  });

  test("without tool calls, audio or images has only the plain classes", () => {
    expect(readUsage({ input_tokens: 10, output_tokens: 4 }, [{ type: "message" }])).toEqual(usage);
  });
});
