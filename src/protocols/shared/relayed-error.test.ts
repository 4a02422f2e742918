import { describe, expect, test } from "bun:test";
import { readRelayedError } from "./relayed-error.ts";

const TOO_LARGE = {
  error_code: "image_dimensions_too_large",
  max_side_length_pixels: 8000,
  paths: ["messages.0.content.1", "messages.0.content.1.content.0"],
};

const read = (error: unknown, status = 400) => readRelayedError(status, JSON.stringify({ error }));

describe("what a vendor's error tells of the request", () => {
  test("passes: details, and the place in the body", () => {
    const error = { message: "Too large.", param: "messages[0].content[1].image_url", details: TOO_LARGE };
    expect(read(error)).toMatchObject({ message: "Too large.", param: error.param, details: TOO_LARGE });
  });

  test.each([
    ["nothing", {}],
    ["no object", "Bad."],
    ["null", { message: "x", param: null, details: null }],
    ["a sentence in the place of a place", { message: "x", param: "see https://a.example/?key=AbC123def" }],
    ["a list of details, as Google's", { message: "x", details: [{ "@type": "ErrorInfo" }] }],
    ["empty details", { message: "x", details: {} }],
    ["objects within", { message: "x", details: { error_code: { deep: 1 }, paths: [["a"]] } }],
    ["names that are none", { message: "x", details: { "a b": 1, Upper: 1, ["x".repeat(65)]: 1 } }],
    ["more than is read", { message: "x", details: { paths: Array.from({ length: 1000 }, () => "messages.0") } }],
  ])("is nothing where there is %s", (_name, error) => {
    expect(read(error)).not.toHaveProperty("param");
    expect(read(error)).not.toHaveProperty("details");
  });

  test.each([
    ["organization_id", "11111111"],
    ["workspace", "production"],
    ["billing_policy", "self"],
    ["spend_limit", 100],
    ["error_code", "organization_on_hold"],
    ["error_code", "cmek_key_disabled"],
    ["hint", "sk-proj-AbCdEf0123456789AbCdEf"],
    ["owner", "jane.doe@acme.example"],
    ["trace", "3f2504e0-4f89-11d3-9a0c-0305e82c3301"],
    ["paths", ["messages.0", "projects/my-company-prod-1"]],
  ])("is not the operator's: %s %j", (name, value) => {
    expect(read({ message: "x", details: { [name]: value, fits: true } })).toMatchObject({ details: { fits: true } });
    expect(read({ message: "x", details: { [name]: value } })).not.toHaveProperty("details");
  });
});
