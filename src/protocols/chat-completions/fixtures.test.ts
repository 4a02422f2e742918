import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { AnswerReport } from "../../core/answer/exchange.ts";
import { bytesOf } from "../../core/answer/sent-body.ts";
import type { Usage } from "../../core/money/usage.ts";
import { readWhole } from "./relay.ts";
import { ChatStream } from "./stream.ts";

/** Raw vendor traffic, in the shapes that public documentation shows, and the answers that clients must get from it. */

const MODEL = "acme/model";
const fixture = (name: string) =>
  readFileSync(new URL(`../../../proofs/fixtures/chat-completions/${name}`, import.meta.url));

interface Chunk {
  readonly model?: string;
  readonly choices: readonly {
    readonly delta?: {
      readonly content?: unknown;
      readonly tool_calls?: readonly { function?: { arguments?: string } }[];
    };
  }[];
  readonly usage?: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly total_tokens: number;
  };
}

interface Replay {
  readonly out: string;
  readonly report: Record<
    Exclude<keyof AnswerReport, "output_media"> | "has_content" | "complete" | "terminated" | "failure",
    unknown
  >;
}

function replay(bytes: Buffer, size: number, choices = 1, shows_usage = true): Replay {
  const stream = new ChatStream({ model_id: MODEL, issuer: "acme", choices, shows_usage });
  const out: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) out.push(stream.push(Buffer.from(bytes.subarray(at, at + size))));
  out.push(stream.end());
  if (stream.complete) out.push(stream.finish());
  const { usage, rejected_usage, output_bytes, output_sample, has_content, complete, terminated, failure } = stream;
  return {
    out: Buffer.concat(out).toString(),
    report: { usage, rejected_usage, output_bytes, output_sample, has_content, complete, terminated, failure },
  };
}

function usage(input: number, cached: number, output: number, reasoning: number): Usage {
  return {
    input_tokens: input,
    cache_read_tokens: cached,
    cache_write_tokens: 0,
    output_tokens: output,
    reasoning_tokens: reasoning,
  };
}

interface Expected {
  readonly choices?: number;
  readonly sample: string;
  readonly usage: Usage | null;
  readonly complete?: boolean;
  readonly terminated?: boolean;
  readonly failure?: { readonly status: number; readonly message: string };
  readonly has_content?: boolean;
}

const STREAMS: Readonly<Record<string, Expected>> = {
  "openai-text": { sample: 'The tide says "model":"gpt"\nat dawn, café.', usage: usage(19, 0, 11, 0) },
  "openai-tools": { sample: '{"port":"Brest"}', usage: usage(64, 0, 17, 0) },
  "openai-parallel-tools": { sample: '{"a":2,"b":3}{"a":2,"b":3}', usage: usage(37, 64, 52, 0) },
  "openai-two-choices": { choices: 2, sample: "UpDown", usage: usage(9, 0, 2, 0) },
  "openai-content-filter": { sample: "I was about", usage: usage(30, 0, 4, 0) },
  "deepseek-reasoning": { sample: "Two and two.Four.", usage: usage(8, 32, 25, 18) },
  "xai-reasoning": { sample: "First thinkOlá!", usage: usage(9, 151, 92, 90) },
  "groq-reasoning": { sample: "User greets.Hello there", usage: usage(74, 0, 21, 12) },
  "mistral-thinking": { sample: "Let me countThree.", usage: usage(12, 0, 18, 0) },
  "mistral-tools": { sample: '{"a": 1}{"b": 2}', usage: usage(80, 0, 24, 0) },
  "azure-prompt-filter": { sample: "Hi", usage: usage(8, 0, 2, 0) },
  "moonshot-usage-in-choice": { sample: "Moon", usage: usage(56, 1280, 31, 0) },
  "openrouter-comments": { sample: "HmYes", usage: usage(6, 0, 3, 1) },
  "openrouter-sealed": { sample: "Looking{}", usage: usage(5, 0, 5, 2) },
  "openrouter-mid-stream-error": {
    sample: "Half an",
    usage: null,
    complete: false,
    failure: { status: 502, message: "Provider disconnected unexpectedly, request [removed]" },
  },
  "openai-first-event-error": {
    sample: "",
    usage: null,
    complete: false,
    has_content: false,
    failure: {
      status: 502,
      message: "The server had an error processing your request for [removed]. Try again later.",
    },
  },
  "overloaded-first-event": {
    sample: "",
    usage: null,
    complete: false,
    has_content: false,
    failure: { status: 529, message: "The engine is currently overloaded, please try again later" },
  },
  "spaced-without-done": { sample: "Grüße, Welt 🌊", usage: usage(5, 0, 7, 0), terminated: false },
  "cut-in-the-middle": { sample: "It was a dark and", usage: null, complete: false },
  "unbelievable-usage": { sample: "Free?", usage: null },
};

describe("a vendor's stream", () => {
  for (const [name, expected] of Object.entries(STREAMS)) {
    const bytes = fixture(`${name}.sse`);
    const whole = replay(bytes, bytes.length, expected.choices);

    test(`${name} is metered to its expected report`, () => {
      const complete = expected.complete ?? true;
      expect(whole.report).toMatchObject({
        usage: expected.usage,
        output_sample: expected.sample,
        output_bytes: Buffer.byteLength(expected.sample),
        has_content: expected.has_content ?? true,
        complete,
        terminated: expected.terminated ?? complete,
      });
      expect(whole.report.failure).toEqual(expected.failure ? { ...expected.failure, retry_after_ms: null } : null);
    });

    test(`${name} gives the same bytes and usage in any pieces and with any line ends`, () => {
      const crlf = Buffer.from(bytes.toString().replaceAll("\n", "\r\n"));
      for (const variant of [bytes, crlf]) {
        for (const size of [1, 7, 64, variant.length]) expect(replay(variant, size, expected.choices)).toEqual(whole);
      }
    });

    test(`${name} reaches the client as clean data lines with the gateway's name of the model`, () => {
      const lines = whole.out.split("\n\n").slice(0, -1);
      for (const line of lines) expect(line).toMatch(/^data: (\{[^\n]*\}|\[DONE\])$/);
      const chunks = lines.filter((line) => line !== "data: [DONE]").map((line) => JSON.parse(line.slice(6)) as Chunk);
      for (const chunk of chunks) expect(chunk.model).toBe(MODEL);
      expect(lines.filter((line) => line === "data: [DONE]").length).toBe(whole.report.complete ? 1 : 0);
      if (whole.report.complete) expect(lines.at(-1)).toBe("data: [DONE]");
    });

    test(`${name} shows the usage once, last, as it is billed, and only when asked for`, () => {
      const usageOnly = (out: string) =>
        out
          .split("\n\n")
          .filter((line) => line.includes('"choices":[]') && !line.includes("prompt_filter_results"))
          .map((line) => (JSON.parse(line.slice(6)) as Chunk).usage);
      const billed = expected.usage;
      const prompt_tokens = billed ? billed.input_tokens + billed.cache_read_tokens : 0;
      const shown = billed && {
        prompt_tokens,
        completion_tokens: billed.output_tokens,
        total_tokens: prompt_tokens + billed.output_tokens,
        prompt_tokens_details: { cached_tokens: billed.cache_read_tokens },
        completion_tokens_details: { reasoning_tokens: billed.reasoning_tokens },
      };
      expect(usageOnly(whole.out)).toMatchObject(shown ? [shown] : []);
      if (shown) expect(whole.out.split("\n\n").at(-3)).toContain('"choices":[]');
      expect(usageOnly(replay(bytes, bytes.length, expected.choices, false).out)).toEqual([]);
    });
  }

  test("keeps the reason why a usage was rejected, and does not show it", () => {
    const { out, report } = replay(fixture("unbelievable-usage.sse"), 100);
    expect(report.rejected_usage).toMatchObject({ prompt_tokens: -5 });
    expect(out).not.toContain("-5");
  });

  test("keeps fields that the gateway does not know", () => {
    const { out } = replay(fixture("openai-text.sse"), 100);
    expect(out).toContain('"obfuscation":"Zt4kk"');
    expect(out).toContain('says \\"model\\":\\"gpt\\"\\n');
    expect(replay(fixture("openrouter-comments.sse"), 100).out).toContain('"native_finish_reason":"stop"');
    expect(replay(fixture("azure-prompt-filter.sse"), 100).out).toContain('"prompt_filter_results":[');
  });

  test("has a total that is not the sum corrected", () => {
    expect(replay(fixture("spaced-without-done.sse"), 100).out).not.toContain("99");
  });
});

describe("a vendor's whole answer", () => {
  const read = (name: string) => readWhole(fixture(name), MODEL, "acme");
  const bodies: readonly (readonly [string, Usage | null, string])[] = [
    ["openai-text", usage(19, 0, 10, 0), 'It says "model":"gpt-4" there.'],
    ["openai-tools", usage(32, 32, 17, 0), '{"model":"port"}'],
    ["deepseek-reasoning", usage(8, 32, 25, 18), "42+2"],
    ["xai-reasoning", usage(26, 6, 103, 94), "Hi"],
    ["openrouter-sealed", usage(5, 0, 5, 2), "Looking{}"],
    ["model-last", null, "x"],
  ];
  for (const [name, billed, generated] of bodies) {
    test(`${name} is metered, and has the gateway's name of the model`, () => {
      const answer = read(`${name}.json`);
      expect(answer.failure).toBeNull();
      expect(answer).toMatchObject({ usage: billed, rejected_usage: null });
      expect([answer.output_sample, answer.output_bytes]).toEqual([generated, Buffer.byteLength(generated)]);
      const body = JSON.parse(bytesOf(answer.body).toString()) as { model: string; usage: unknown };
      expect(body.model).toBe(MODEL);
      if (billed) {
        expect(body.usage).toMatchObject({
          prompt_tokens: billed.input_tokens + billed.cache_read_tokens,
          completion_tokens: billed.output_tokens,
          total_tokens: billed.input_tokens + billed.cache_read_tokens + billed.output_tokens,
        });
      }
    });
  }

  test("changes only in the model's name when its usage is right", () => {
    const before = fixture("openai-text.json").toString();
    const after = bytesOf(read("openai-text.json").body).toString();
    expect(after).toBe(before.replace("gpt-5.1-mini-2026-08-01", MODEL));
    const last = fixture("model-last.json").toString();
    expect(bytesOf(read("model-last.json").body).toString()).toBe(
      last.replace('"model":"up"}', `"model":"${MODEL}","system_fingerprint":null}`),
    );
  });

  test("that carries an error or no choices is a failure", () => {
    expect(read("error-in-200.json").failure).toMatchObject({ status: 429, message: "Provider returned error" });
    expect(read("no-choices.json").failure).toMatchObject({ status: 502 });
    for (const text of ["", "<html>", "[]", '{"id":', '{"choices":"x"}']) {
      expect(readWhole(Buffer.from(text), MODEL, "acme").failure?.status).toBe(502);
    }
  });

  test("with a usage that cannot be believed is shown without it", () => {
    const text = fixture("deepseek-reasoning.json").toString().replace('"prompt_tokens":40', '"prompt_tokens":4');
    const answer = readWhole(Buffer.from(text), MODEL, "acme");
    expect(answer).toMatchObject({ usage: null, rejected_usage: { prompt_tokens: 4 } });
    expect(JSON.parse(bytesOf(answer.body).toString())).not.toHaveProperty("usage");
  });
});
