import { expect, test } from "bun:test";
import { ZERO } from "../../core/money/money.ts";
import { decide } from "./decide.ts";
import { newWorkingSet, type RequestState, type WorkingSet } from "./working-set.ts";

const NOW_MS = 1_000_000;

function workingSetWith(fields: Partial<RequestState>): WorkingSet {
  const request: RequestState = {
    id: "req_1",
    account_id: "acct_1",
    key_id: "key_1",
    project_id: null,
    tags: null,
    rules: null,
    created_ms: 0,
    bound_tokens: 0,
    idempotency_key: null,
    model: "acme/swift",
    admitted: null,
    status: "held",
    extended_micro: ZERO,
    hold_micro: ZERO,
    deadline_ms: NOW_MS + 1,
    progress: null,
    end: null,
    hold_changed: false,
    changed: false,
    ...fields,
  };
  return newWorkingSet(NOW_MS, { accounts: new Map(), keys: new Map(), requests: new Map([[request.id, request]]) });
}

// Between finding a hold and locking its account, its gateway may have gone on with it.
test("a recovery leaves a request alone that has ended meanwhile", () => {
  const working = workingSetWith({ status: "settled", deadline_ms: 1 });
  expect(decide(working, { op: "recover", request_id: "req_1" })).toEqual({ outcome: "left" });
});
