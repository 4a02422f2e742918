import { expect, test } from "bun:test";
import { GatewayError } from "../../core/errors.ts";
import { styleAError, styleBError } from "./error-styles.ts";
import { parseBody } from "./parse-json.ts";

const error = new GatewayError("model_unavailable", "Try later.", { param: "model" });

test("style A has an error's type, parameter and code", () => {
  expect(styleAError(error)).toEqual({
    error: { message: "Try later.", type: "api_error", param: "model", code: "model_unavailable" },
  });
  expect(styleAError(new GatewayError("not_found", "No.")).error.param).toBeNull();
});

test("style B has an error's own type and the request's id", () => {
  expect(styleBError(error, "req_1")).toEqual({
    type: "error",
    error: { type: "overloaded_error", message: "Try later." },
    request_id: "req_1",
  });
});

for (const [text, sentence] of [
  ["", "The body is not valid JSON: it is empty. Send one JSON object."],
  ["[1]", "The body is an array; allowed: a JSON object."],
  ["null", "The body is null; allowed: a JSON object."],
] as const) {
  test(`a body of ${JSON.stringify(text)} is refused with an error message`, () => {
    expect(() => parseBody(text)).toThrow(sentence);
  });
}

test("a body that is no JSON, or nested without limit, is refused and never crashes the gateway", () => {
  expect(() => parseBody('{"a":')).toThrow("The body is not valid JSON");
  expect(() => parseBody(`${"[".repeat(200_000)}`)).toThrow("The body is not valid JSON");
});
