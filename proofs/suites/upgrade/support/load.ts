import { expect } from "bun:test";

const LANES = 8;
/** Between two calls of a lane: an update shall be under load, and not the machine at its limit. */
const REST_MS = 100;
const CREDIT_MICRO = 50_000_000;

/** Calls that go on while nodes come and go: a balancer and its clients in one. */
export class Load {
  readonly #nodes: Set<string>;
  readonly #token: string;
  readonly #failures: string[] = [];
  readonly #answered: string[] = [];
  #key = "";
  #ended = false;
  #lanes: Promise<void>[] = [];

  private constructor(nodes: readonly string[], token: string) {
    this.#nodes = new Set(nodes);
    this.#token = token;
  }

  static async start({ nodes, token }: { readonly nodes: readonly string[]; readonly token: string }): Promise<Load> {
    const load = new Load(nodes, token);
    await load.#admin("POST", "/accounts", { email: "load@example.com", credit: String(CREDIT_MICRO / 1_000_000) });
    load.#key = (
      await load.#admin<{ key: string }>("POST", "/keys", { account: "load@example.com", rpm: 1_000_000 })
    ).key;
    load.#lanes = Array.from({ length: LANES }, (_none, lane) => load.#run(lane));
    return load;
  }

  add(node: string): void {
    this.#nodes.add(node);
  }

  remove(node: string): void {
    this.#nodes.delete(node);
  }

  /** Ends the load. No call has failed, and the account has paid for exactly the answers that came. */
  async expectRight(): Promise<void> {
    this.#ended = true;
    await Promise.all(this.#lanes);
    expect(this.#failures).toEqual([]);
    expect(this.#answered.length).toBeGreaterThan(LANES);
    let charged = 0;
    for (const id of this.#answered) {
      const receipt = await this.#get<{ charge_micro: number; status: string }>(`/v1/requests/${id}`);
      expect(receipt.status).toBe("settled");
      charged += receipt.charge_micro;
    }
    const { data } = await this.#admin<{ data: { balance_micro: number }[] }>("GET", "/accounts");
    expect(data.map(({ balance_micro }) => balance_micro)).toEqual([CREDIT_MICRO - charged]);
  }

  async #run(lane: number): Promise<void> {
    for (let call = lane; !this.#ended; call += 1) {
      const nodes = [...this.#nodes];
      const node = nodes[call % Math.max(1, nodes.length)];
      if (node !== undefined) await this.#call(node, call % 2 === 0);
      await Bun.sleep(REST_MS);
    }
  }

  async #call(node: string, stream: boolean): Promise<void> {
    try {
      const body = { model: "acme/echo", stream, messages: [{ role: "user", content: "Hello!" }] };
      const headers = { authorization: `Bearer ${this.#key}` };
      const answer = await fetch(`${node}/v1/chat/completions`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      const whole = answer.status === 200 && (!stream || text.endsWith("data: [DONE]\n\n"));
      if (whole) this.#answered.push(answer.headers.get("x-camino-request-id") ?? "");
      else this.#failures.push(`${answer.status} ${text.slice(0, 300)}`);
    } catch (thrown) {
      this.#failures.push(thrown instanceof Error ? thrown.message : "a call that failed without a reason");
    }
  }

  #admin<Body>(method: string, path: string, body?: object): Promise<Body> {
    return this.#ask(method, `/console/api${path}`, this.#token, body);
  }

  #get<Body>(path: string): Promise<Body> {
    return this.#ask("GET", path, this.#key);
  }

  async #ask<Body>(method: string, path: string, bearer: string, body?: object): Promise<Body> {
    const [node = ""] = this.#nodes;
    const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
    const answer = await fetch(node + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as Body;
  }
}
