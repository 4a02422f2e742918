import { expect, test } from "bun:test";
import { urlOf } from "./call.ts";

test("a path's fields are encoded, and empty query fields left out", () => {
  expect(urlOf("/models/{vendor}/{name}", { path: { vendor: "acme", name: "a/b c" } })).toBe(
    "/console/api/models/acme/a%2Fb%20c",
  );
  expect(urlOf("/keys", { query: { account: "a@b.c", model: undefined, key: "" } })).toBe(
    "/console/api/keys?account=a%40b.c",
  );
  expect(urlOf("/keys", {})).toBe("/console/api/keys");
  // Usage without a tag has no value of it.
  expect(urlOf("/usage/explore", { query: { tag: "team", value: "" } })).toBe(
    "/console/api/usage/explore?tag=team&value=",
  );
});
