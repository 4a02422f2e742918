import { expect } from "bun:test";
import type { Static } from "typebox";
import type { CacheState } from "../../../../../contract/cache.ts";
import type { Vendor } from "../../../../../contract/vendors.ts";
import type { CountedRequest, LimitHolder } from "../../../../support/limit-holder.ts";
import { eventually } from "../scene.ts";
import { between, type DrawnAccount, MODELS, oneOf, type Random, TAG, VALUES } from "./draw-account.ts";
import { expectedOf, isAs, MOST_OFF_S, UNSURE_MS } from "./expected-said.ts";
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

/** What an answer costs that is given again, in percent of its first price. */
export const HIT_PERCENT = 10;

/** Clocks go on by more than what a node takes for a gap in its own beats, so that no node takes another for dead. */
const LEAST_MOVE_MS = 12_000;
/** No request runs for longer: vendors and holds have an end. */
const LONGEST_RUN_MS = 1_500_000;
const HOUR_MS = 3_600_000;
const MOST_OUTPUT = 150;
/** How long the holds of a node that was killed may last. */
const RECOVERY_MS = 60_000;

/** A question, and how it is asked. */
interface Question {
  readonly name: string;
  readonly model: string;
  readonly cap: number;
  /** Whether its answer may be stored, and a stored one given. */
  readonly caches: boolean;
}

/** A question whose answer is stored. */
interface Stored {
  readonly account: DrawnAccount;
  readonly question: Question;
  readonly used: Used;
}

interface Running extends CountedRequest {
  readonly account: DrawnAccount;
  readonly node: number;
  readonly question: Question;
  readonly holders: readonly LimitHolder[];
  readonly call: HeldCall;
  readonly told: Promise<Told>;
}

interface Judged {
  readonly request: CountedRequest;
  readonly holders: readonly LimitHolder[];
  readonly account: DrawnAccount;
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
  readonly #stored: Stored[] = [];
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
    const question = { name: this.#name(), cap: 10, model: "side/calm", caches: false };
    const { body, headers } = await this.#send(0, { key: probe, value: null }, question);
    const [, needs = ""] = /this call needs ([\d.]+) USD/.exec(body) ?? [];
    this.#base = { hold: Math.round(Number(needs) * 1_000_000) - 10, tokens: 0 };
    expect(nodes.now_ms()).toBeGreaterThan(0);
    this.#base.tokens = this.#base.hold;
    expect(headers.get("retry-after")).toBeNull();
  }

  async step(): Promise<void> {
    const { random } = this.#parts;
    const drawn = random();
    if (drawn < 0.16 && this.#stored.length > 0) return await this.#askAgain(oneOf(random, this.#stored));
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
    const used = { input: between(random, 1, 20), output: between(random, 1, request.question.cap) };
    this.steps.push(`answer ${request.question.name}`);
    await this.#answered(request, used);
  }

  async #answered(request: Running, used: Used): Promise<void> {
    const { question, account } = request;
    const stored_bytes = question.caches ? await this.#storedBytes() : 0;
    request.call.answer(used);
    const { status, body } = await request.told;
    if (status !== 200) throw new Error(`${question.name} ended with ${status} ${body}`);
    expect(status).toBe(200);
    const tokens = used.input + used.output;
    this.#end(request, { tokens, charge: tokens });
    if (question.model === MODELS[0]) {
      const now_ms = this.#parts.nodes.now_ms();
      const asked = { tokens: request.bound_tokens, used: tokens, now_ms };
      this.#vendor_model.end(request.node, request.call.credential, asked);
    }
    if (!question.caches) return;
    await eventually(
      "the answer among the stored ones",
      async () => ((await this.#storedBytes()) > stored_bytes ? true : null),
      RECOVERY_MS,
      50,
    );
    this.#stored.push({ account, question, used });
  }

  async #storedBytes(): Promise<number> {
    return (await this.#parts.nodes.gateway.admin<CacheState>("GET", "/cache")).bytes;
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
    const question = { name: this.#name(), model, cap, caches: random() < 0.3 };
    const holders = key.holdersOf(model, value);
    const shares = model === MODELS[0] ? await this.#sharesAt(node) : null;
    const at_ms = nodes.now_ms();
    const told = this.#send(node, { key: key.key, value }, question);
    const call = await Promise.race([vendor.arrived(question.name), told.then(() => null)]);
    const request = { at_ms, hold: this.#base.hold + cap, bound_tokens: this.#base.tokens };
    const said: Said = call === null ? readRefusal(await told) : { outcome: "admitted" };
    this.steps.push(`${question.name}: ${JSON.stringify({ node, model, value, cap, ...said })}`);
    this.#judge(question.name, said, { request, holders, account });
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
          `${question.name} was sent beyond a limit of ${call.credential}: ${JSON.stringify([...(shares ?? []), ...verdict])}`,
        );
      this.#vendor_model.begin(node, call.credential, request.bound_tokens, at_ms);
    }
    const running = { ...request, account, node, question, holders, call, told };
    if (is_held) this.#running.push(running);
    else await this.#answered(running, { input: between(random, 1, 20), output: between(random, 1, cap) });
  }

  /** Asks what is stored again, with any key and value of its account, at any node: no vendor is asked, and all limits judge the answer's own price. */
  async #askAgain({ account, question, used }: Stored): Promise<void> {
    const { nodes, vendor, random } = this.#parts;
    const key = oneOf(random, account.keys);
    const value = oneOf(random, [...VALUES, null]);
    const node = between(random, 0, 1);
    const holders = key.holdersOf(question.model, value);
    vendor.forget(question.name);
    const at_ms = nodes.now_ms();
    const told = this.#send(node, { key: key.key, value }, question);
    const call = await Promise.race([vendor.arrived(question.name), told.then(() => null)]);
    if (call !== null) throw new Error(`a vendor was asked for the stored answer of ${question.name}`);
    const said = readRefusal(await told);
    const tokens = used.input + used.output;
    const charge = Math.ceil((tokens * HIT_PERCENT) / 100);
    const request = { at_ms, hold: charge, bound_tokens: used.input };
    this.steps.push(`${question.name} again: ${JSON.stringify({ node, value, charge, ...said })}`);
    if (said.outcome === "unavailable") throw new Error(`the stored answer of ${question.name} is unavailable`);
    this.#judge("hit", said, { request, holders, account });
    if (said.outcome !== "admitted") return await this.#barrier(node);
    expect((await told).headers.get("x-camino-cache")).toBe("hit");
    for (const holder of holders) {
      holder.begin(request);
      holder.end(request, { tokens, charge }, at_ms);
    }
  }

  /** Expects that what was said is what the model of all limits says, and takes the request from those of the minute. */
  #judge(name: string, said: Said, { request, holders, account }: Judged): void {
    const { time_zone } = account;
    const expected = expectedOf(request, holders, time_zone);
    const matching = expected.find((each) => isAs(each, said));
    if (matching === undefined)
      throw new Error(`${name} got ${JSON.stringify(said)}, and might get ${JSON.stringify(expected)}`);
    this.#count(name === "hit" ? "hit " : "", said, expected.length);
    this.#takeRequests(said, holders, request.at_ms);
    if (said.outcome === "rate_limited") this.#told_s = said.retry_s;
    if (said.outcome !== "budget_exceeded") return;
    expect(said.needs).toBe(request.hold);
    const window = holders.find(({ name: whose }) => whose === said.whose)?.limits.budget?.window;
    if (said.renews === null) expect(window).toBe("once");
    else expectRenewal(said.renews, time_zone, request.at_ms);
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
    const told = this.#send(node, { key: plain, value: null }, { name, cap: 1, model: "side/calm", caches: false });
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
        const waits = [of_vendor.wait_ms, of_key.wait_ms];
        const wait_ms = waits.includes(null) ? null : Math.max(...waits.map(Number));
        return [key, { surely, maybe, wait_ms }] as const;
      }),
    );
  }

  #expectUnavailable(said: Said, verdict: Map<string, Verdict> | null): void {
    const verdicts = [...(verdict?.values() ?? [])];
    expect(verdicts.length > 0 && verdicts.every(({ maybe }) => maybe)).toBe(true);
    if (said.outcome !== "unavailable" || !verdicts.every(({ surely }) => surely)) return;
    const waits = verdicts.map(({ wait_ms }) => wait_ms);
    if (waits.includes(null)) return;
    const least_s = Math.max(1000, Math.min(...waits.map(Number))) / 1000;
    if (Math.abs(said.retry_s - least_s) > MOST_OFF_S)
      throw new Error(`told to wait for ${said.retry_s} s under ${JSON.stringify([...(verdict ?? [])])}`);
  }

  #count(kind: string, said: Said, answers: number): void {
    const which = said.outcome === "rate_limited" ? said.limit : said.outcome;
    const whose = "whose" in said ? said.whose.replace(/=.*/, "").replace(/ for .*[/*].*/, " for a model") : "";
    for (const name of [`${kind}${`${whose} ${which}`.trim()}`, ...(answers > 2 ? ["unsure"] : [])])
      this.seen.set(name, (this.seen.get(name) ?? 0) + 1);
  }

  #name(): string {
    this.#named += 1;
    return `call ${String(this.#named).padStart(5, "0")}`;
  }

  #send(
    node: number,
    { key, value }: { key: string; value: string | null },
    { name, cap, model, caches }: Question,
  ): Promise<Told> {
    const tags = value === null ? {} : { "x-camino-tags": `${TAG}=${value}` };
    // All bodies have one length, so that all requests have one bound.
    const body = { model, max_tokens: cap, messages: [{ role: "user", content: name }] };
    const text = JSON.stringify(body).padEnd(110);
    return this.#parts.nodes.ask(node, {
      ...{ method: "POST", path: "/v1/chat/completions", body: text },
      headers: { authorization: `Bearer ${key}`, ...tags, ...(caches && { "x-camino-cache": "30d" }) },
    });
  }
}
