import { expect, test } from "bun:test";
import { safeReturn } from "./safe-return.ts";

const CASES: [text: string | undefined, goes_to: string][] = [
  [undefined, "/console/"],
  ["/console/keys?account=acct_1#x", "/console/keys?account=acct_1#x"],
  ["/console/", "/console/"],
  ["/console", "/console/"],
  ["", "/console/"],
  ["https://evil.example/console/", "/console/"],
  ["//evil.example/console/", "/console/"],
  ["/\\evil.example/console/", "/console/"],
  ["/console/\\..\\..\\evil", "/console/"],
  ["/console/../../v1/models", "/console/"],
  ["/console/%2e%2e/v1", "/console/"],
  ["/console//evil.example", "/console//evil.example"],
  ["/console/api/session/oidc/corp", "/console/"],
  ["/console/\r\nset-cookie: x=y", "/console/"],
  ["javascript:alert(1)", "/console/"],
];

for (const [text, goes_to] of CASES) {
  test(`after a sign-in ${JSON.stringify(text)} goes to ${goes_to}`, () => {
    expect(safeReturn(text)).toBe(goes_to);
  });
}
