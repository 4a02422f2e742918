import { expect, test } from "bun:test";
import { AccessLog } from "./access-log.ts";

test("writes one JSON line per finished request", () => {
  const lines: string[] = [];
  const request = { request_id: "req_1", endpoint: "messages", status: 200, model: 'odd/"name"', duration_ms: 3.4 };
  new AccessLog((line) => lines.push(line)).finished(request);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    ...request,
    duration_ms: 3,
    level: "info",
    msg: "request finished",
  });
});

test("writes nothing where the log level excludes it", () => {
  const quiet = new AccessLog(null);
  expect(() =>
    quiet.finished({ request_id: "req_1", endpoint: "messages", status: 200, model: null, duration_ms: 1 }),
  ).not.toThrow();
});
