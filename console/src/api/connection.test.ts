import { expect, test } from "bun:test";
import { isOfGateway } from "./connection.ts";

test.each([
  [200, "application/json", true],
  [503, "application/json", true],
  [502, "text/html", false],
  [504, null, false],
  [404, "text/html", true],
])("an answer of status %d and type %p is the gateway's: %p", (status, type, own) => {
  const headers = new Headers(type === null ? {} : { "content-type": type });
  expect(isOfGateway({ status, headers })).toBe(own);
});
