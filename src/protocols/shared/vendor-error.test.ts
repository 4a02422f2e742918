import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readErrorObject, readVendorError } from "./vendor-error.ts";

describe("a vendor's error answer", () => {
  const bodies: readonly (readonly [string, string, string])[] = [
    [
      "OpenAI",
      '{"error":{"message":"Bad temperature.","type":"invalid_request_error","param":null,"code":null}}',
      "Bad temperature.",
    ],
    [
      "Anthropic",
      '{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: required"}}',
      "max_tokens: required",
    ],
    [
      "Google",
      '[{"error":{"code":400,"message":"Invalid argument.","status":"INVALID_ARGUMENT"}}]',
      "Invalid argument.",
    ],
    ["an error as text", '{"error":"model not loaded"}', "model not loaded"],
    ["Hugging Face", '{"error":"Input is too long","error_type":"validation"}', "Input is too long"],
    [
      "Cohere",
      '{"message":"invalid request: message must be at least 1 token long"}',
      "invalid request: message must be at least 1 token long",
    ],
    ["FastAPI, text", '{"detail":"Not here"}', "Not here"],
    [
      "FastAPI, list",
      '{"detail":[{"loc":["body","top_p"],"msg":"must be below 1","type":"value_error"}]}',
      "body.top_p: must be below 1",
    ],
    [
      "Mistral",
      '{"object":"error","message":{"detail":[{"loc":["body","n"],"msg":"too many"}]},"code":3000}',
      "body.n: too many",
    ],
    ["AWS", '{"__type":"ValidationException","Message":"Malformed input"}', "Malformed input"],
    ["MiniMax", '{"base_resp":{"status_code":1004,"status_msg":"login fail"}}', "login fail"],
    ["a list of errors", '{"errors":[{"message":"first"},{"message":"second"}]}', "first"],
    ["plain text", "upstream connect error", "upstream connect error"],
    [
      "a web page",
      "<!DOCTYPE html><html><head><title> 502 Bad Gateway </title></head><body>…</body></html>",
      "The model service answered with a web page: 502 Bad Gateway",
    ],
    ["nothing", "", "The model service answered with status 400 and no explanation."],
    ["JSON without a sentence", '{"error":{}}', "The model service answered with status 400 and no explanation."],
    ["several lines", '{"error":{"message":"one\\n  two\\u0000"}}', "one two"],
  ];
  for (const [name, body, sentence] of bodies) {
    test(`in the shape of ${name} is read to its message`, () => {
      expect(readVendorError(400, body)).toMatchObject({ status: 400, message: sentence });
    });
  }

  const delays: readonly (readonly [string, number | null])[] = [
    ["Rate limit reached. Please try again in 20s.", 20_000],
    ["Please try again in 6m0.5s. Visit the limits page.", 360_500],
    ["Please try again in 120ms.", 120],
    ["Please try again later.", null],
  ];
  for (const [sentence, delay] of delays) {
    test(`with the message "${sentence}" has the time to wait`, () => {
      expect(readVendorError(429, JSON.stringify({ error: { message: sentence } })).retry_after_ms).toBe(delay);
    });
  }

  test("of Google has the time to wait in a detail", () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "41s" }];
    expect(readVendorError(429, JSON.stringify({ error: { message: "Quota", details } })).retry_after_ms).toBe(41_000);
  });

  test("is always short, and reading it never throws", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.constant("x ".repeat(100_000))), (body) => {
        const { message } = readVendorError(500, body);
        expect(message.length).toBeLessThanOrEqual(601);
        expect(message.length).toBeGreaterThan(0);
      }),
    );
  });
});

describe("secrets of the operator", () => {
  const secrets = [
    "sk-proj-AbCdEf0123456789AbCdEf",
    "sk-ab12****************************wxyz",
    "sk-ant-api03-AAAA1111BBBB2222",
    "gsk_0123456789abcdefABCDEF",
    "AIzaSyA1234567890abcdefghijklmnopqrstuv",
    "AKIAIOSFODNN7EXAMPLE",
    "Bearer abcdef1234567890",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
    "org-Ab12Cd34Ef56Gh78",
    "proj_AbCd1234EfGh",
    "req_011CSHoEeqs5C35K2UUqR7Fy",
    "arn:aws:bedrock:us-east-1:123456789012:inference-profile/x",
    "projects/my-company-prod-1",
    "jane.doe+billing@acme.example",
    "https://user:secret@proxy.internal:8080/v1",
    "https://api.example.com/v1/models?key=AbC123def",
    "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    "0123456789abcdef0123456789abcdef",
    "xai-****",
  ];
  for (const secret of secrets) {
    test(`are removed: ${secret.slice(0, 14)}…`, () => {
      const { message } = readVendorError(400, JSON.stringify({ error: { message: `Before ${secret} after.` } }));
      expect(message).toBe("Before [removed] after.");
    });
  }

  for (const sentence of [
    "'temperature' must be between 0 and 2, found 3.5.",
    "This model's maximum context length is 128000 tokens, see https://platform.example.com/docs/limits.",
    "tool_call_id call_abc123XYZ was not found in messages[3]",
    "Unsupported value: 'messages[0].role' does not support 'developer' with gpt-4o-2024-11-20.",
  ]) {
    test(`are not seen in an innocent message: ${sentence}`, () => {
      expect(readVendorError(400, JSON.stringify({ error: { message: sentence } })).message).toBe(sentence);
    });
  }
});

describe("an error inside an answer", () => {
  const cases: readonly (readonly [unknown, number])[] = [
    [{ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, 529],
    [{ error: { type: "engine_overloaded_error", message: "x" } }, 529],
    [{ error: { type: "rate_limit_error", message: "x" } }, 429],
    [{ error: { message: "x", type: "requests", code: "rate_limit_exceeded" } }, 429],
    [{ error: { message: "x", type: "insufficient_quota" } }, 429],
    [{ error: { type: "api_error", message: "x" } }, 502],
    [{ error: { message: "x", type: "server_error" } }, 502],
    [{ error: { type: "invalid_request_error", message: "x" } }, 400],
    [{ error: { type: "authentication_error", message: "x" } }, 401],
    [{ error: { code: 503, message: "x" } }, 503],
    [{ error: { code: "429", message: "x" } }, 429],
    [{ error: { code: 503, status: "UNAVAILABLE", message: "x" } }, 503],
    [{ object: "error", code: 400, message: "x", type: "BadRequestError" }, 400],
    [{ response: { error: { code: "server_is_overloaded", message: "x" } } }, 529],
    [{ error: "broken" }, 502],
    [null, 502],
  ];
  for (const [error, status] of cases) {
    test(`${JSON.stringify(error)} has the status ${status}`, () => expect(readErrorObject(error).status).toBe(status));
  }

  test("keeps its message, without secrets", () => {
    expect(readErrorObject({ error: { message: "Failed for org-Ab12Cd34" } }).message).toBe("Failed for [removed]");
  });
});
