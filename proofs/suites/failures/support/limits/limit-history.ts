import { expect } from "bun:test";
import type { Static } from "typebox";
import type { Vendor } from "../../../../../contract/vendors.ts";
import type { CountedRequest, LimitHolder } from "../../../../support/limit-holder.ts";
import { eventually } from "../scene.ts";
import { between, type DrawnAccount, MODELS, oneOf, type Random, TAG, VALUES } from "./draw-account.ts";
import type { HeldCall, HeldVendor, Used } from "./held-vendor.ts";
import { ADMINISTRATOR, type MovedNodes, type Told } from "./nodes.ts";
import { expectRenewal, readRefusal, type Said } from "./read-refusal.ts";
import { VendorModel, type VendorRates, type Verdict } from "./vendor-model.ts";

/** What the vendor and its credentials allow to all nodes together. */
export const VENDOR_LIMITS = { rpm: 10, tpm: 1600, concurrent: 5, spend_micro: 1500 };
export const CREDENTIALS = [
  { key: "sk-acme-1-0123456789", rpm: 4 },
  { key: "sk-acme-2-0123456789", concurrent: 2, rpm: 8 },
] as const;

/** By how much the times of the model may be wrong about those of the gateways. */
const UNSURE_MS = 1000;
/** By how much a told time may be wrong: it is in whole seconds. */
const MOST_OFF_S = 2.5;
/** Clocks go on by more than what a node takes for a gap in its own beats, so that no node takes another for dead. */
const LEAST_MOVE_MS = 12_000;
/** No request runs for longer: vendors and holds have an end. */
const LONGEST_RUN_MS = 1_500_000;
const HOUR_MS = 3_600_000;
const MOST_OUTPUT = 150;
/** How long the holds of a node that was killed may last. */
const RECOVERY_MS = 60_000;

/** A node that judges by what it has seen itself may tell of a shorter time than there is, as it does not know what others have counted. */
type Expected = Said & { readonly is_at_most?: true };

interface Running extends CountedRequest {
  readonly node: number;
  readonly name: string;
  readonly model: string;
  readonly cap: number;
  readonly holders: readonly LimitHolder[];
  readonly call: HeldCall;
  readonly told: Promise<Told>;
}

export interface HistoryParts {
  readonly nodes: MovedNodes;
  readonly vendor: HeldVendor;
  readonly accounts: readonly DrawnAccount[];
  /** A key without limits. */
  readonly plain: string;
  readonly random: Random;
}

/** Requests at two nodes under limits of all kinds, and what a plain model of them says to each. */
export class LimitHistory {
  readonly #parts: HistoryParts;
  readonly #vendor_model = new VendorModel(VENDOR_LIMITS.spend_micro);
  #running: Running[] = [];
  #named = 0;
  /** What a request without output holds, and its tokens at most. */
  #base = { hold: 0, tokens: 0 };
  #told_s = 0;
  /** Refusals by whose limit it was and which, and how many answers were unsure. */
  readonly seen = new Map<string, number>();
  readonly steps: string[] = [];

  constructor(parts: HistoryParts) {
    this.#parts = parts;
  }

  /** Finds out what a request holds. */
  async begin(probe: string): Promise<void> {
    const { nodes } = this.#parts;
    const { body, headers } = await this.#send(0, {
      key: probe,
      name: this.#name(),
      cap: 10,
      model: "side/calm",
      value: null,
    });
    const [, needs = ""] = /this call needs ([\d.]+) USD/.exec(body) ?? [];
    this.#base = { hold: Math.round(Number(needs) * 1_000_000) - 10, tokens: 0 };
    expect(nodes.now_ms()).toBeGreaterThan(0);
    this.#base.tokens = this.#base.hold;
    expect(headers.get("retry-after")).toBeNull();
  }

  async step(): Promise<void> {
    const { random } = this.#parts;
    const drawn = random();
    if (drawn < 0.68) return await this.#ask(random() < 0.35);
    if (drawn < 0.84) return await this.#answer(oneOf(random, this.#running));
    if (drawn < 0.92) return await this.#move(between(random, LEAST_MOVE_MS, 40_000));
    if (drawn < 0.985) return await this.#move(this.#told_s * 1000 + oneOf(random, [-1, 1]) * 1.5 * UNSURE_MS);
    await this.#answerAll();
    await this.#move(between(random, 10, 20) * HOUR_MS);
  }

  /** Kills a node in the middle of its requests; another process takes its place. */
  async kill(node: number): Promise<void> {
    const { nodes } = this.#parts;
    while (!this.#running.some((each) => each.node === node)) await this.#ask(true, node);
    this.steps.push(`kill ${node}`);
    const left = this.#running.filter((each) => each.node === node);
    this.#running = this.#running.filter((each) => each.node !== node);
    for (const { told } of left) void told.catch(() => {});
    this.#vendor_model.killed(node);
    await nodes.kill(node);
    await eventually(
      "the end of what the dead node held",
      async () => {
        const { data } = await nodes.gateway.admin<{ data: { status: string }[] }>(
          "GET",
          "/requests?status=held&limit=500",
        );
        return data.length === this.#running.length ? true : null;
      },
      RECOVERY_MS,
      200,
    );
    for (const request of left) this.#end(request, { tokens: 0, charge: 0 });
  }

  async #move(by_ms: number): Promise<void> {
    const move_ms = Math.max(LEAST_MOVE_MS, by_ms);
    const until_ms = this.#parts.nodes.now_ms() + move_ms;
    if (this.#running.some(({ at_ms }) => until_ms - at_ms > LONGEST_RUN_MS)) await this.#answerAll();
    this.steps.push(`move ${move_ms / 1000} s`);
    await this.#parts.nodes.move(move_ms);
  }

  async #answerAll(): Promise<void> {
    for (const request of [...this.#running]) await this.#answer(request);
  }

  async end(): Promise<void> {
    await this.#answerAll();
  }

  async #answer(request: Running | undefined): Promise<void> {
    if (request === undefined) return;
    const { random } = this.#parts;
    this.#running.splice(this.#running.indexOf(request), 1);
    const used = { input: between(random, 1, 20), output: between(random, 1, request.cap) };
    this.steps.push(`answer ${request.name}`);
    await this.#answered(request, used);
  }

  async #answered(request: Running, used: Used): Promise<void> {
    request.call.answer(used);
    const { status, body } = await request.told;
    if (status !== 200) throw new Error(`${request.name} ended with ${status} ${body}`);
    expect(status).toBe(200);
    const tokens = used.input + used.output;
    this.#end(request, { tokens, charge: tokens });
    if (request.model !== MODELS[0]) return;
    const now_ms = this.#parts.nodes.now_ms();
    const asked = { tokens: request.bound_tokens, used: tokens, now_ms };
    this.#vendor_model.end(request.node, request.call.credential, asked);
  }

  #end(request: Running, used: { tokens: number; charge: number }): void {
    for (const holder of request.holders) holder.end(request, used, this.#parts.nodes.now_ms());
  }

  async #ask(is_held: boolean, at_node?: number): Promise<void> {
    const { nodes, vendor, accounts, random } = this.#parts;
    const account = oneOf(random, accounts);
    const key = oneOf(random, account.keys);
    const model = random() < 0.7 ? MODELS[0] : MODELS[1];
    const value = oneOf(random, [...VALUES, null]);
    const node = at_node ?? between(random, 0, 1);
    const cap = between(random, 1, MOST_OUTPUT);
    const name = this.#name();
    const holders = key.holdersOf(model, value);
    const asked = { key: key.key, name, cap, model, value };
    const shares = model === MODELS[0] ? await this.#sharesAt(node) : null;
    const at_ms = nodes.now_ms();
    const told = this.#send(node, asked);
    const call = await Promise.race([vendor.arrived(name), told.then(() => null)]);
    const request = { at_ms, hold: this.#base.hold + cap, bound_tokens: this.#base.tokens };
    const said: Said = call === null ? readRefusal(await told) : { outcome: "admitted" };
    this.steps.push(`${name}: ${JSON.stringify({ node, model, value, cap, ...said })}`);
    const expected = this.#expected(request, holders, account.time_zone);
    const matching = expected.find((each) => isAs(each, said));
    if (matching === undefined)
      throw new Error(`${name} got ${JSON.stringify(said)}, and might get ${JSON.stringify(expected)}`);
    this.#count(said, expected.length);
    this.#takeRequests(said, holders, at_ms);
    if (said.outcome === "rate_limited") this.#told_s = said.retry_s;
    if (said.outcome === "budget_exceeded") {
      expect(said.needs).toBe(request.hold);
      const window = holders.find(({ name: whose }) => whose === said.whose)?.limits.budget?.window;
      if (said.renews === null) expect(window).toBe("once");
      else expectRenewal(said.renews, account.time_zone, at_ms);
    }
    if (said.outcome !== "admitted" && said.outcome !== "unavailable") return await this.#barrier(node);
    const verdict = shares === null ? null : await this.#judgeVendor(node, shares, at_ms);
    for (const holder of holders) holder.begin(request);
    if (call === null) {
      this.#expectUnavailable(said, verdict);
      for (const holder of holders) holder.end(request, { tokens: 0, charge: 0 }, nodes.now_ms());
      return;
    }
    if (verdict !== null) {
      if (verdict.get(call.credential)?.surely)
        throw new Error(
          `${name} was sent beyond a limit of ${call.credential}: ${JSON.stringify([...(shares ?? []), ...verdict])}`,
        );
      this.#vendor_model.begin(node, call.credential, request.bound_tokens, at_ms);
    }
    const running = { ...request, node, name, model, cap, holders, call, told };
    if (is_held) this.#running.push(running);
    else await this.#answered(running, { input: between(random, 1, 20), output: between(random, 1, cap) });
  }

  /** What may be said to a request now: more than one answer only where a limit is about to open, or two places judge it. */
  #expected(
    { hold, bound_tokens, at_ms }: CountedRequest,
    holders: readonly LimitHolder[],
    time_zone: string | null,
  ): Expected[] {
    const expected: Expected[] = [];
    let is_full = false;
    for (const holder of holders) {
      for (const { limit, over_ms } of holder.judge(bound_tokens, at_ms)) {
        if (over_ms < -UNSURE_MS + 1 || is_full || over_ms === -1000) continue;
        expected.push(rateSaid(holder, limit, over_ms));
        is_full = limit === "concurrency" ? over_ms > 0 : over_ms > UNSURE_MS;
        if (is_full) break;
      }
      if (is_full) break;
    }
    if (is_full || expected.length > 0) expected.push(...this.#byHead(holders, bound_tokens, at_ms));
    if (is_full) return expected;
    let least: { readonly whose: string; readonly left: number } | null = null;
    for (const holder of holders) {
      const left = holder.left(at_ms, time_zone);
      if (left !== null && (least === null || left < least.left)) least = { whose: holder.name, left };
    }
    if (least !== null && hold > least.left)
      return [...expected, { outcome: "budget_exceeded", ...least, needs: hold, renews: null }];
    return [...expected, { outcome: "admitted" }, { outcome: "unavailable", retry_s: 0 }];
  }

  /** What a node says to a request by its head, before others are judged: that a key's, project's or account's rate, or its key's places are used up. */
  #byHead(holders: readonly LimitHolder[], bound_tokens: number, at_ms: number): Expected[] {
    return holders.flatMap((holder) => {
      const limits =
        holder.name === "key"
          ? ["requests", "concurrency"]
          : ["project", "account"].includes(holder.name)
            ? ["requests"]
            : [];
      return holder
        .judge(bound_tokens, at_ms)
        .filter(({ limit, over_ms }) => limits.includes(limit) && over_ms > -UNSURE_MS)
        .map(({ limit, over_ms }) => ({ ...rateSaid(holder, limit, over_ms), is_at_most: true }));
    });
  }

  #takeRequests(said: Said, holders: readonly LimitHolder[], at_ms: number): void {
    const [own, ...others] = holders;
    if (said.outcome !== "rate_limited" || said.whose !== "key" || said.limit !== "requests") own?.takeRequest(at_ms);
    if (said.outcome === "admitted" || said.outcome === "unavailable")
      for (const holder of others) holder.takeRequest(at_ms);
  }

  /** A refusal is counted behind its answer, on its node in the order of all that it writes. */
  async #barrier(node: number): Promise<void> {
    const { plain, vendor } = this.#parts;
    const name = this.#name();
    const told = this.#send(node, { key: plain, name, cap: 1, model: "side/calm", value: null });
    (await vendor.arrived(name)).answer({ input: 1, output: 1 });
    expect((await told).status).toBe(200);
  }

  /** The part of each limit of the vendor that a node has at the moment: nodes come and go. */
  async #sharesAt(node: number): Promise<Map<string, VendorRates>> {
    const { body } = await this.#parts.nodes.ask(node, {
      method: "GET",
      path: "/console/api/vendors/acme",
      headers: ADMINISTRATOR,
    });
    const { limits, credential } = JSON.parse(body) as Static<typeof Vendor>;
    const ratesOf = (all: typeof limits): VendorRates =>
      Object.fromEntries(all.filter(({ limit }) => limit !== "spend").map(({ limit, share }) => [limit, share]));
    const keys = credential.keys.map((each, at) => [CREDENTIALS[at]?.key ?? "", ratesOf(each.limits)] as const);
    return new Map([["", ratesOf(limits)], ...keys]);
  }

  async #judgeVendor(node: number, shares: Map<string, VendorRates>, now_ms: number): Promise<Map<string, Verdict>> {
    const after = await this.#sharesAt(node);
    const is_steady = Bun.deepEquals([...shares], [...after]);
    const asked = { tokens: this.#base.tokens, now_ms };
    const judge = (holder: string) => this.#vendor_model.judge(node, holder, shares.get(holder) ?? {}, asked);
    const of_vendor = judge("");
    return new Map<string, Verdict>(
      CREDENTIALS.map(({ key }) => {
        const of_key = judge(key);
        const surely = is_steady && (of_vendor.surely || of_key.surely);
        const maybe = !is_steady || of_vendor.maybe || of_key.maybe;
        return [key, { surely, maybe, wait_ms: Math.max(of_vendor.wait_ms, of_key.wait_ms) }] as const;
      }),
    );
  }

  #expectUnavailable(said: Said, verdict: Map<string, Verdict> | null): void {
    const verdicts = [...(verdict?.values() ?? [])];
    expect(verdicts.length > 0 && verdicts.every(({ maybe }) => maybe)).toBe(true);
    if (said.outcome !== "unavailable" || !verdicts.every(({ surely }) => surely)) return;
    const least_s = Math.max(1000, Math.min(...verdicts.map(({ wait_ms }) => wait_ms))) / 1000;
    if (Math.abs(said.retry_s - least_s) > MOST_OFF_S)
      throw new Error(`told to wait for ${said.retry_s} s under ${JSON.stringify([...(verdict ?? [])])}`);
  }

  #count(said: Said, answers: number): void {
    const which = said.outcome === "rate_limited" ? said.limit : said.outcome;
    const whose = "whose" in said ? said.whose.replace(/=.*/, "").replace(/ for .*[/*].*/, " for a model") : "";
    for (const name of [`${whose} ${which}`.trim(), ...(answers > 2 ? ["unsure"] : [])])
      this.seen.set(name, (this.seen.get(name) ?? 0) + 1);
  }

  #name(): string {
    this.#named += 1;
    return `call ${String(this.#named).padStart(5, "0")}`;
  }

  #send(
    node: number,
    { key, name, cap, model, value }: { key: string; name: string; cap: number; model: string; value: string | null },
  ): Promise<Told> {
    const tags = value === null ? {} : { "x-camino-tags": `${TAG}=${value}` };
    // All bodies have one length, so that all requests have one bound.
    const max_tokens = cap;
    const body = { model, max_tokens, messages: [{ role: "user", content: name }] };
    const text = JSON.stringify(body).padEnd(110);
    return this.#parts.nodes.ask(node, {
      ...{ method: "POST", path: "/v1/chat/completions", body: text },
      headers: { authorization: `Bearer ${key}`, ...tags },
    });
  }
}

function rateSaid(holder: LimitHolder, limit: string, over_ms: number): Said {
  const of =
    { requests: holder.limits.rpm, tokens: holder.limits.tpm, concurrency: holder.limits.concurrent }[limit] ?? null;
  return { outcome: "rate_limited", whose: holder.name, limit, allowed: of, retry_s: over_ms / 1000 };
}

/** Whether an answer is what was expected: whole seconds of a time that is known to a second. */
function isAs(expected: Expected, said: Said): boolean {
  if (expected.outcome !== said.outcome) return false;
  if (expected.outcome === "rate_limited" && said.outcome === "rate_limited") {
    const { whose, limit, allowed } = expected;
    const by_s = said.retry_s - expected.retry_s;
    const is_time = by_s <= MOST_OFF_S && (expected.is_at_most === true || by_s >= -MOST_OFF_S);
    return whose === said.whose && limit === said.limit && (said.allowed ?? allowed) === allowed && is_time;
  }
  if (expected.outcome === "budget_exceeded" && said.outcome === "budget_exceeded")
    return expected.whose === said.whose && expected.left === said.left;
  return true;
}
