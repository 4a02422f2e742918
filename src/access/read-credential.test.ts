import { describe, expect, test } from "bun:test";
import { type ErrorCode, GatewayError } from "../core/errors.ts";
import { type CredentialPolicy, readCredential } from "./read-credential.ts";

type Headers_ = Record<string, string>;

function read(headers: Headers_, policy: CredentialPolicy): string | ErrorCode {
  try {
    return readCredential(new Headers(headers), policy);
  } catch (error) {
    if (error instanceof GatewayError) return error.code;
    throw error;
  }
}

const CASES: [headers: Headers_, on_bearer: string, on_either: string][] = [
  [{}, "missing_api_key", "missing_api_key"],
  [{ authorization: "Bearer cm-a" }, "cm-a", "cm-a"],
  [{ authorization: "bearer cm-a" }, "cm-a", "cm-a"],
  [{ authorization: "BEARER   cm-a  " }, "cm-a", "cm-a"],
  [{ authorization: "Bearer" }, "missing_api_key", "missing_api_key"],
  [{ authorization: "Bearer " }, "missing_api_key", "missing_api_key"],
  [{ authorization: "cm-a" }, "missing_api_key", "missing_api_key"],
  [{ authorization: "Basic Y20tYQ==" }, "missing_api_key", "missing_api_key"],
  [{ "x-api-key": "cm-a" }, "missing_api_key", "cm-a"],
  [{ "x-api-key": " cm-a " }, "missing_api_key", "cm-a"],
  [{ "x-api-key": "" }, "missing_api_key", "missing_api_key"],
  [{ authorization: "Bearer cm-a", "x-api-key": "" }, "cm-a", "cm-a"],
  [{ authorization: "Bearer cm-a", "x-api-key": "cm-a" }, "cm-a", "cm-a"],
  [{ authorization: "Bearer cm-a", "x-api-key": "cm-b" }, "invalid_api_key", "invalid_api_key"],
  [{ authorization: "Basic Y20tYQ==", "x-api-key": "cm-a" }, "missing_api_key", "cm-a"],
];

describe("the credential of a request", () => {
  for (const [headers, on_bearer, on_either] of CASES) {
    test(`${JSON.stringify(headers)}: ${on_bearer} where bearer is required, else ${on_either}`, () => {
      expect(read(headers, "bearer")).toBe(on_bearer);
      expect(read(headers, "either")).toBe(on_either);
    });
  }

  test("in a header that the endpoint does not accept gets an error that says so", () => {
    expect(() => readCredential(new Headers({ "x-api-key": "cm-a" }), "bearer")).toThrow(/does not take the x-api-key/);
  });

  test("that is given twice is an invalid key", () => {
    const headers = new Headers([["authorization", "Bearer cm-a"]]);
    headers.append("authorization", "Bearer cm-a");
    expect(readCredential(headers, "either")).not.toBe("cm-a");
  });
});
