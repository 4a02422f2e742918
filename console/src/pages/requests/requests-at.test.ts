import { expect, test } from "bun:test";
import { readFilters } from "./request-query.ts";
import { minutesOf, requestsAt } from "./requests-at.ts";

test("a chart's time leads to its requests: of its minutes, by the page's filters and the series' own", () => {
  const hour = minutesOf("2026-11-23T13:00:00.000Z", "2026-11-23T14:00:00.000Z");
  const of = { name: "Swift", filters: { model: "acme/swift" }, values: [] };
  const { to, search } = requestsAt(hour, { key: "key_1" }, of);
  expect(to).toBe("/requests");
  expect(readFilters(search as object, 0)).toEqual({
    key: "key_1",
    model: "acme/swift",
    from: "2026-11-23T13:00:00.000Z",
    to: "2026-11-23T14:00:00.000Z",
  });
});

test("a chart's day leads to all of its requests", () => {
  const { search } = requestsAt({ from: "2026-11-23", to: "2026-11-23" }, {}, null);
  const wanted = { from: "2026-11-23T00:00:00.000Z", to: "2026-11-24T00:00:00.000Z" };
  expect(readFilters(search as object, 0)).toEqual(wanted);
});
