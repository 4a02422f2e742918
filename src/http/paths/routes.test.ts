import { describe, expect, test } from "bun:test";
import { matchRoute } from "./routes.ts";

describe("what is not served", () => {
  const paths = ["/v1/responses/resp_1/cancel", "/v1/responses/resp_1/cancel/"];
  test.each(paths)("%s is unknown, though it looks like a response", (path) => {
    expect(matchRoute(path, "POST")).toBeNull();
  });

  test.each(["/v1/responses/resp_compact", "/v1/responses/resp_1", "/v1/responses/cancel"])("%s may be one", (path) => {
    expect(matchRoute(path, "POST")?.row.path).toBe("/v1/responses/{response_id}");
  });
});

describe("the parameter of a path", () => {
  test.each<[path: string, parameter: string | null]>([
    ["/v1/requests/req_1", "req_1"],
    ["/v1/models/acme%2Fecho", "acme/echo"],
    ["/v1/models/acme%2", null],
    // Half of a character in UTF-8.
    ["/v1/responses/%ED%A0%80", null],
    // PostgreSQL cannot even be asked for it.
    ["/v1/requests/req_%00", null],
  ])("%s", (path, parameter) => {
    expect(matchRoute(path, "GET")?.parameter).toBe(parameter);
  });
});
