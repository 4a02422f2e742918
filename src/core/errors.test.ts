import { describe, expect, test } from "bun:test";
import { documentedRows, quoted, sectionOf, tableRows } from "../../proofs/support/documented-errors.ts";
import { ERRORS, type ErrorCode, GatewayError, toGatewayError } from "./errors.ts";

const SECTIONS = ["7.1", "7.2", "7.3", "7.4", "7.5", "7.6"];
const documented = SECTIONS.flatMap(documentedRows);

/** The error types that a section's row must show for a code. For the models endpoint's 404 see docs/rulings.md 19c. */
function typesInTable(section: string, code: ErrorCode): string[] {
  const { type_a } = ERRORS[code];
  const type_b = section === "7.5" && code === "model_not_found" ? "not_found_error" : ERRORS[code].type_b;
  if (section === "7.3") return [type_b];
  if (section === "7.5" || section === "7.6") return type_a === type_b ? [type_a] : [type_a, type_b];
  return [type_a];
}

describe("the table of errors and docs/api.md section 7", () => {
  test("every sub-section has a table", () => {
    for (const section of SECTIONS) expect([section, documentedRows(section).length]).not.toEqual([section, 0]);
  });

  test.each(documented)("$section documents $code with its status and types", ({ section, code, status, types }) => {
    expect(Object.keys(ERRORS)).toContain(code);
    expect(status).toBe(ERRORS[code as ErrorCode].status);
    expect([...types]).toEqual(typesInTable(section, code as ErrorCode));
  });

  test("every error in the code is documented", () => {
    const missing = Object.keys(ERRORS).filter((code) => !documented.some((row) => row.code === code));
    expect(missing).toEqual([]);
  });

  test("no table lists a code twice", () => {
    const names = documented.map(({ section, code }) => `${section} ${code}`);
    expect(names).toEqual([...new Set(names)]);
  });

  test("the situations of section 5 are the 401 rows, in every table that has any", () => {
    const situations = tableRows(sectionOf(/^## 5\. /m))
      .filter((cells) => cells[1] === "401")
      .map((cells) => ({ types: quoted(cells[2] ?? ""), code: quoted(cells[3] ?? "")[0] ?? "" }));
    const unauthenticated = situations.map((situation) => situation.code);
    expect(unauthenticated).toHaveLength(4);
    for (const { types } of situations) expect(types).toEqual(["authentication_error"]);
    for (const section of SECTIONS.filter((name) => name !== "7.6"))
      expect(documentedRows(section).flatMap((row) => (row.status === 401 ? [row.code] : []))).toEqual(unauthenticated);
  });
});

describe("a row", () => {
  test.each(Object.entries(ERRORS))("%s has an error status and a type in both styles", (_code, row) => {
    expect(row.status).toBeWithin(400, 600);
    expect(row.type_a).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(row.type_b).toMatch(/^[a-z]+(_[a-z]+)*$/);
  });

  test.each(Object.entries(ERRORS))("%s is retryable only where the same request may succeed later", (_code, row) => {
    if (row.retryable) expect([408, 409, 429, 500, 502, 503]).toContain(row.status);
    if ([429, 502, 503].includes(row.status)) expect(row.retryable).toBe(true);
  });
});

describe("a GatewayError", () => {
  test("carries its row and its field, and leaves absent what was not given", () => {
    const error = new GatewayError("invalid_messages", "messages is empty; at least one is required", {
      param: "messages",
    });
    expect(error).toBeInstanceOf(Error);
    expect(error.row).toBe(ERRORS.invalid_messages);
    expect(error.param).toBe("messages");
    expect(error.retry_after_ms).toBeNull();
    expect(error.headers).toEqual({});
    expect("cause" in error).toBe(false);
  });

  test("passes through unchanged when it is thrown, and anything else becomes an internal error with its cause", () => {
    const error = new GatewayError("rate_limit_exceeded", "slow down", { retry_after_ms: 1500 });
    expect(toGatewayError(error)).toBe(error);
    for (const thrown of [new TypeError("secret detail"), "a string", null, undefined]) {
      const wrapped = toGatewayError(thrown);
      expect(wrapped.code).toBe("internal_error");
      expect(wrapped.message).not.toContain("secret");
      expect(wrapped.cause).toBe(thrown);
    }
  });
});

test("an error quotes as much of what was sent as a person can read", () => {
  const long = "é😀".repeat(10_000);
  const { message, param } = new GatewayError("invalid_request", `The member ${long} is unknown.`, { param: long });
  expect([message.length, param?.length]).toEqual([2000, 2000]);
  expect(message.isWellFormed() && param?.isWellFormed()).toBe(true);
  expect(new GatewayError("invalid_request", "Short.", { param: "a.b" })).toMatchObject({
    message: "Short.",
    param: "a.b",
  });
});
