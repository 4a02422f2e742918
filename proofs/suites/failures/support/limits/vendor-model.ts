/** A plain model of the limits of a vendor and its credentials (docs/rulings.md 178), as each node judges by them. */

export interface VendorRates {
  readonly rpm?: number;
  readonly tpm?: number;
  readonly concurrent?: number;
}

/** By how much the times of the model may be wrong about those of a gateway. */
const UNSURE_MS = 1000;
const DAY_MS = 86_400_000;
/** How long spending may take to be known to the other node, with much to spare for a busy machine. */
const SHARED_AFTER_MS = 15_000;

/** Whether a limit is reached, in the time in which it may have been asked; and for how long it is. */
export interface Verdict {
  readonly surely: boolean;
  readonly maybe: boolean;
  /** Null where a node may know already what another has spent, or not: it then tells of the end of a minute or of a day. */
  readonly wait_ms: number | null;
}

const ROOM = { surely: false, maybe: false, wait_ms: 0 } as const satisfies Verdict;

/** The counts of one holder on one node. */
class Counts {
  readonly #requests: number[] = [];
  readonly #tokens: { readonly at_ms: number; readonly tokens: number }[] = [];
  running = 0;
  reserved = 0;

  begin(at_ms: number, tokens: number): void {
    this.#requests.push(at_ms);
    this.running += 1;
    this.reserved += tokens;
  }

  end(tokens: number): void {
    this.running -= 1;
    this.reserved -= tokens;
  }

  used(at_ms: number, tokens: number): void {
    this.#tokens.push({ at_ms, tokens });
  }

  judge({ rpm, tpm, concurrent }: VendorRates, tokens: number, now_ms: number): Verdict {
    const times = [now_ms - UNSURE_MS, now_ms, now_ms + UNSURE_MS];
    const verdicts = times.map((at_ms) => ({
      requests: rpm !== undefined && this.#requests.filter((each) => isWithin(each, at_ms)).length >= rpm,
      tokens: tpm !== undefined && !fits(this.#tokensAt(at_ms), tokens, tpm),
    }));
    const is_crowded = concurrent !== undefined && this.running >= concurrent;
    const are_reached = verdicts.map((each) => each.requests || each.tokens || is_crowded);
    const [is_requests, is_tokens] = [verdicts[1]?.requests === true, verdicts[1]?.tokens === true];
    const waits = [
      is_requests
        ? this.#waitFor(now_ms, (at_ms) => this.#requests.filter((each) => isWithin(each, at_ms)).length < (rpm ?? 0))
        : 0,
      is_tokens && !is_requests ? this.#waitFor(now_ms, (at_ms) => fits(this.#tokensAt(at_ms), tokens, tpm ?? 0)) : 0,
      is_crowded && !is_requests && !is_tokens ? 1000 : 0,
    ];
    return { surely: are_reached.every(Boolean), maybe: are_reached.some(Boolean), wait_ms: Math.max(...waits) };
  }

  #tokensAt(at_ms: number): number {
    return this.#tokens.reduce((sum, each) => sum + (isWithin(each.at_ms, at_ms) ? each.tokens : 0), this.reserved);
  }

  /** Seconds, as the gateway counts by them; a second where only the end of a request opens the limit. */
  #waitFor(now_ms: number, opens: (at_ms: number) => boolean): number {
    for (let s = 1; s <= 61; s += 1) if (opens(now_ms + 1000 * s)) return 1000 * s;
    return 1000;
  }
}

function isWithin(at_ms: number, now_ms: number): boolean {
  return Math.floor(now_ms / 1000) - Math.floor(at_ms / 1000) < 60;
}

function fits(used: number, needed: number, allowed: number): boolean {
  return used === 0 || used + needed <= allowed;
}

interface Spent {
  readonly day: number;
  readonly node: number;
  readonly real_ms: number;
  readonly amount: number;
  /** Its node was killed before the others surely knew of it. */
  may_be_lost: boolean;
}

/** A vendor with its credentials, as two nodes count them. */
export class VendorModel {
  readonly #counts = new Map<string, Counts>();
  readonly #spend: number;
  readonly #spent: Spent[] = [];

  constructor(spend_micro: number) {
    this.#spend = spend_micro;
  }

  /** `holder`: "" for the vendor, else the credential. */
  #of(node: number, holder: string): Counts {
    const name = `${node} ${holder}`;
    const counts = this.#counts.get(name) ?? new Counts();
    this.#counts.set(name, counts);
    return counts;
  }

  judge(node: number, holder: string, rates: VendorRates, asked: { tokens: number; now_ms: number }): Verdict {
    const rate = this.#of(node, holder).judge(rates, asked.tokens, asked.now_ms);
    const spend = holder === "" ? this.#judgeSpend(node, asked.now_ms) : ROOM;
    const wait_ms = spend.surely ? spend.wait_ms : spend.maybe ? null : rate.wait_ms;
    return { surely: rate.surely || spend.surely, maybe: rate.maybe || spend.maybe, wait_ms };
  }

  #judgeSpend(node: number, now_ms: number): Verdict {
    const day = Math.floor(now_ms / DAY_MS);
    const today = this.#spent.filter((each) => each.day === day);
    const known = today.filter(
      (each) => !each.may_be_lost && (each.node === node || performance.now() - each.real_ms > SHARED_AFTER_MS),
    );
    const [least, most] = [known, today].map((all) => all.reduce((sum, each) => sum + each.amount, 0)) as [
      number,
      number,
    ];
    return { surely: least >= this.#spend, maybe: most >= this.#spend, wait_ms: (day + 1) * DAY_MS - now_ms };
  }

  begin(node: number, credential: string, tokens: number, now_ms: number): void {
    for (const holder of ["", credential]) this.#of(node, holder).begin(now_ms, tokens);
  }

  end(
    node: number,
    credential: string,
    { tokens, used, now_ms }: { tokens: number; used: number; now_ms: number },
  ): void {
    for (const holder of ["", credential]) {
      this.#of(node, holder).end(tokens);
      this.#of(node, holder).used(now_ms, used);
    }
    const day = Math.floor(now_ms / DAY_MS);
    this.#spent.push({ day, node, real_ms: performance.now(), amount: used, may_be_lost: false });
  }

  /** A process knows nothing of the rates of the one before it, and all of what that had shared. */
  killed(node: number): void {
    for (const name of [...this.#counts.keys()]) if (name.startsWith(`${node} `)) this.#counts.delete(name);
    for (const each of this.#spent)
      if (each.node === node && performance.now() - each.real_ms < SHARED_AFTER_MS) each.may_be_lost = true;
  }
}
