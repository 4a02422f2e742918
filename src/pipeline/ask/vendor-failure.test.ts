import { describe, expect, test } from "bun:test";
import type { ErrorCode } from "../../core/errors.ts";
import { UpstreamError, type UpstreamFault } from "../../wire/client/upstream-error.ts";
import { judgeEvent, judgeStatus, judgeThrown, judgeTransport, readRetryAfter } from "./vendor-failure.ts";

const GENERAL = "unsupported_parameter";

function failure(status: number) {
  return { status, message: "the vendor's sentence", retry_after_ms: null };
}

describe("a vendor's HTTP error becomes (docs/rulings.md 19)", () => {
  const rows: [status: number, code: ErrorCode, retry: string, health: string][] = [
    [400, GENERAL, "never", "fine"],
    [401, "provider_error", "next", "failed"],
    [402, "provider_error", "next", "failed"],
    [403, "provider_error", "next", "forbidden"],
    [404, "model_unavailable", "next", "missing"],
    [408, "provider_error", "next", "failed"],
    [413, GENERAL, "never", "fine"],
    [422, GENERAL, "never", "fine"],
    [429, "provider_rate_limited", "next", "unknown"],
    [500, "provider_error", "next", "failed"],
    [502, "provider_error", "next", "failed"],
    [503, "provider_error", "same", "failed"],
    [529, "provider_error", "same", "failed"],
    [302, "provider_error", "next", "failed"],
  ];
  test.each(rows)("%d → %s", (status, code, retry, health) => {
    const verdict = judgeStatus(failure(status), GENERAL);
    expect([verdict.error.code, verdict.retry, verdict.health]).toEqual([code, retry as never, health as never]);
  });

  test("a bad request keeps the vendor's sentence", () => {
    expect(judgeStatus(failure(400), GENERAL).error.message).toBe("the vendor's sentence");
  });

  test("a refused credential of the vendor's is not reported to the client", () => {
    expect(judgeStatus(failure(401), GENERAL).error.message).not.toContain("the vendor's sentence");
  });

  test("a rate limit passes on the vendor's waiting time", () => {
    expect(judgeStatus({ ...failure(429), retry_after_ms: 7000 }, GENERAL).error.retry_after_ms).toBe(7000);
  });
});

test.each([503, 529])("an overload (%d) as the first event of a stream is 503", (status) => {
  expect(judgeEvent(failure(status), GENERAL).error.code).toBe("model_unavailable");
});

describe("a fault of the transport becomes", () => {
  const rows: [fault: UpstreamFault, code: ErrorCode, retry: string][] = [
    ["unreachable", "model_unavailable", "same"],
    ["first_byte_timeout", "provider_error", "never"],
    ["idle_timeout", "provider_error", "never"],
    ["total_timeout", "provider_error", "never"],
    ["broken", "provider_error", "next"],
    ["too_large", "provider_error", "next"],
  ];
  test.each(rows)("%s → %s", (fault, code, retry) => {
    const verdict = judgeTransport(new UpstreamError(fault, "why"));
    expect([verdict.error.code, verdict.retry]).toEqual([code, retry as never]);
  });
});

test("a connection that broke before an answer began is tried again", () => {
  expect(judgeTransport(new UpstreamError("broken", "why"), false).retry).toBe("same");
});

test("an error of the gateway is not judged as the vendor's failure", () => {
  const { error, ...verdict } = judgeThrown(new TypeError("a mistake of ours"));
  expect({ ...verdict, code: error.code }).toEqual({ retry: "never", health: "unknown", code: "internal_error" });
});

test.each([
  ["3", 3000],
  ["0.5", 500],
  ["Thu, 01 Jan 1970 00:00:09 GMT", 8000],
  ["soon", null],
  [null, null],
  ["-4", null],
  ["999999", 3_600_000],
] as const)("retry-after %p is %p ms", (header, expected) => {
  expect(readRetryAfter(header, 1000)).toBe(expected);
});
