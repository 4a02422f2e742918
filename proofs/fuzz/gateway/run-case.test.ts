import { expect, test } from "bun:test";
import { type FuzzCase, type KeyChoice, type PlannedStep, RESPONSE_ID } from "../requests/fuzz-case.ts";
import { runCase } from "./run-case.ts";

const KEYS = { rich: "a", other: "b", poor: "c", narrow: "d" } as const;

function step(key: KeyChoice, method: string, target: string): PlannedStep {
  return {
    ...{ route: "responses", method, target, headers: [], body: method === "POST" ? Buffer.from("{}") : null, key },
    ...{ chunk_sizes: null, piece_bytes: null, leaves_after_ms: null, mutation_seed: null, vendor: null },
  };
}

function caseOf(steps: readonly PlannedStep[]): FuzzCase {
  return { number: 1, slot: 1, seed: 1, marker: "case-0000001-", family: "requests", steps, pipelined: false };
}

test("the other account is sent for a response of the case that it did not make itself", async () => {
  let made = 0;
  const asked: string[] = [];
  await using server = Bun.serve({
    port: 0,
    fetch: ({ method, url }) => {
      asked.push(`${method} ${new URL(url).pathname}`);
      return Response.json(method === "POST" ? { id: `resp_${++made}` } : {});
    },
  });
  const path = `/v1/responses/${RESPONSE_ID}`;
  const steps = [
    step("other", "POST", "/v1/responses"),
    step("rich", "POST", "/v1/responses"),
    step("rich", "POST", "/v1/responses"),
    step("other", "GET", path),
  ];
  const { fault } = await runCase(caseOf(steps), server.url.origin, KEYS);
  expect([fault, asked.at(-1)]).toEqual([null, "GET /v1/responses/resp_2"]);
});
