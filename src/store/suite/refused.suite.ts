import { describe, expect, test } from "bun:test";
import { newId, requestIdsFrom } from "../../core/ids.ts";
import { REFUSED_KEPT, type RefusedRequest } from "../../core/operations/refusals.ts";
import { type Customer, newCustomer, type TestDatabase } from "./books.ts";

const NOW_MS = Date.UTC(2026, 9, 1);

/** Refused requests one by one: found by their ids, bounded for each account. */
export function refusedSuite(database: () => TestDatabase): void {
  describe("a refused request", () => {
    findTests(database);
    boundTests(database);
  });
}

function refused({ account, key }: Customer, fields: Partial<RefusedRequest> = {}): RefusedRequest {
  return {
    ...{ account_id: account.id, key_id: key.id, endpoint: "messages", code: "model_not_found", status: 404 },
    ...{ asked_model: "gpt-9", model: null, param: "model", message: "There is none.", at_ms: NOW_MS },
    ...{ request_id: newId("req"), client_request_id: null },
    ...fields,
  };
}

const kept = ({ store }: TestDatabase, customer: Customer, query: object = {}) =>
  store.accounts.listRefusedRequests({ account_id: customer.account.id, limit: 5000, ...query });

function findTests(database: () => TestDatabase): void {
  test("is found by its id, ours or the client's newest, in its account alone", async () => {
    const { upkeep, accounts } = database().store;
    const customer = await newCustomer(database(), 10);
    const other = await newCustomer(database(), 10);
    const client_request_id = `job-${customer.account.id}`;
    const [first, second] = [
      refused(customer, { client_request_id }),
      refused(customer, { client_request_id, at_ms: NOW_MS + 5 }),
    ];
    await upkeep.writeRefusedRequests([first, second]);
    // A node that did not hear of its write's success writes again.
    await upkeep.writeRefusedRequests([second]);
    for (const account_id of [customer.account.id, null]) {
      expect(await accounts.findRefused(account_id, first.request_id)).toEqual(first);
      expect(await accounts.findRefused(account_id, client_request_id)).toEqual(second);
    }
    expect(await accounts.findRefused(other.account.id, first.request_id)).toBeNull();
    expect(await accounts.findRefused(other.account.id, client_request_id)).toBeNull();
    expect(await accounts.findRefused(null, "req_none")).toBeNull();
  });

  test("is listed by key, endpoint, model, time and the beginning of an id", async () => {
    const { upkeep } = database().store;
    const customer = await newCustomer(database(), 10);
    const early = refused(customer, {
      at_ms: NOW_MS - 1000,
      endpoint: "responses",
      client_request_id: `c-${newId("req")}`,
    });
    const late = refused(customer, {
      model: "acme/swift",
      asked_model: "fast",
      code: "rate_limit_exceeded",
      status: 429,
    });
    await upkeep.writeRefusedRequests([early, late]);
    const found = async (query: object) =>
      (await kept(database(), customer, query)).map(({ request_id }) => request_id);
    const [e, l] = [early.request_id, late.request_id];
    expect(await found({})).toEqual([l, e]);
    expect(await found({ limit: 1 })).toEqual([l]);
    expect(await found({ endpoint: "responses" })).toEqual([e]);
    expect(await found({ key_id: "key_none" })).toEqual([]);
    for (const model of ["fast", "acme/swift"]) expect(await found({ model })).toEqual([l]);
    expect(await found({ to_ms: NOW_MS })).toEqual([e]);
    expect(await found({ from_ms: NOW_MS })).toEqual([l]);
    for (const account_id of [customer.account.id, null]) {
      expect(await found({ search: e.slice(0, 24), account_id })).toEqual([e]);
      expect(await found({ search: early.client_request_id?.slice(0, 24), account_id })).toEqual([e]);
    }
  });
}

function boundTests(database: () => TestDatabase): void {
  test("of a flood takes the place of its account's oldest, and of no other account's", async () => {
    const { upkeep } = database().store;
    const [flooded, other] = [await newCustomer(database(), 10), await newCustomer(database(), 10)];
    await upkeep.writeRefusedRequests([refused(other, { at_ms: 1 })]);
    const written: RefusedRequest[] = [];
    for (let round = 0; round < 5; round += 1) {
      const requests = Array.from({ length: 250 }, (_, at) => refused(flooded, { at_ms: NOW_MS + round * 250 + at }));
      written.push(...requests);
      await upkeep.writeRefusedRequests(requests);
    }
    const left = await kept(database(), flooded);
    expect(left.map(({ request_id }) => request_id)).toEqual(
      written
        .slice(-REFUSED_KEPT)
        .reverse()
        .map(({ request_id }) => request_id),
    );
    expect(await kept(database(), other)).toHaveLength(1);
  });

  test("goes when it is old", async () => {
    const { upkeep } = database().store;
    const customer = await newCustomer(database(), 10);
    const old = refused(customer, {
      at_ms: 5,
      request_id: `${requestIdsFrom(5)}old${customer.account.id.slice(-8)}`,
    });
    const young = refused(customer);
    await upkeep.writeRefusedRequests([old, young]);
    while ((await upkeep.dropRefusedRequests(NOW_MS - 86_400_000)) > 0);
    expect(await kept(database(), customer)).toEqual([young]);
  });
}
