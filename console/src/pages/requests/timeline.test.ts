import { expect, test } from "bun:test";
import { timelineOf } from "./timeline.ts";

const attempt = (vendor: string, fields: object) => ({
  vendor,
  upstream_model: "m",
  status: 200,
  error: null,
  first_byte_ms: null,
  duration_ms: 0,
  started_ms: null,
  said: null,
  ...fields,
});

test("a request that one vendor answers is admitted, waited for and answered", () => {
  const attempts = [attempt("acme", { first_byte_ms: 7, duration_ms: 8 })];
  expect(timelineOf({ queue_ms: 2, duration_ms: 33, attempts })).toEqual({
    total_ms: 33,
    stretches: [
      { key: "queue", label: "Queue and checks", kind: "gateway", start_ms: 0, end_ms: 2 },
      { key: "0 wait", label: "acme, to the first byte", kind: "waiting", start_ms: 2, end_ms: 9 },
      { key: "0 answer", label: "acme, answering", kind: "answering", start_ms: 9, end_ms: 33 },
    ],
  });
});

test("failed attempts come before the attempt that answered, and each begins where the attempt before it ended", () => {
  const attempts = [
    attempt("acme", { status: 503, error: "provider_error", duration_ms: 5 }),
    attempt("other", { first_byte_ms: 10, duration_ms: 10 }),
  ];
  expect(timelineOf({ queue_ms: 0, duration_ms: 12, attempts })).toEqual({
    total_ms: 15,
    stretches: [
      { key: "0 failed", label: "1. acme, failed", kind: "failed", start_ms: 0, end_ms: 5 },
      { key: "1 wait", label: "2. other, to the first byte", kind: "waiting", start_ms: 5, end_ms: 15 },
    ],
  });
});

test("the operator's own check is shown apart, at the end of the wait that it is part of", () => {
  const attempts = [attempt("acme", { first_byte_ms: 7, duration_ms: 8 })];
  const of = (queue_ms: number, hook_ms: number) =>
    timelineOf({ queue_ms, hook_ms, duration_ms: 33, attempts })?.stretches.map(({ key, end_ms }) => [key, end_ms]);
  expect(of(12, 9)?.slice(0, 2)).toEqual([
    ["queue", 3],
    ["hook", 12],
  ]);
  expect(of(12, 13)?.slice(0, 2)).toEqual([
    ["hook", 12],
    ["0 wait", 19],
  ]);
});

test("an attempt begins when its receipt says so", () => {
  const attempts = [
    attempt("acme", { status: 503, error: "provider_error", duration_ms: 5, started_ms: 2, said: "Busy." }),
    attempt("other", { first_byte_ms: 10, duration_ms: 10, started_ms: 9 }),
  ];
  const stretches = timelineOf({ queue_ms: 1, duration_ms: 19, attempts })?.stretches;
  expect(stretches?.map(({ start_ms, end_ms }) => [start_ms, end_ms])).toEqual([
    [0, 1],
    [2, 7],
    [9, 19],
  ]);
});

test("a running request has no timeline", () => {
  expect(timelineOf({ queue_ms: null, duration_ms: null, attempts: [] })).toBeNull();
});

test("a decision's calls have no answer part: each call's stretch is as long as the call took", () => {
  const attempts = [attempt("acme", { first_byte_ms: 10, duration_ms: 10, calls: 6, failures: 0 })];
  expect(timelineOf({ queue_ms: 0, duration_ms: 30, attempts })?.stretches.map(({ end_ms }) => end_ms)).toEqual([10]);
});
