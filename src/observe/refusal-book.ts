import { REFUSED_KEPT, type RefusalSum, type RefusedRequest } from "../core/operations/refusals.ts";
import { detachedText } from "../core/texts.ts";

/** The most kinds of refusals (key, endpoint, code) that are counted apart for an account in a minute; further kinds are summed up by their code. */
const KINDS = 8;
const MS_PER_MINUTE = 60_000;
/** The longest id of a client's that is kept, and the longest field name. */
const LONGEST = 128;
/** The longest name of a model, and the longest sentence. */
const LONGEST_MODEL = 200;
const LONGEST_MESSAGE = 500;
/** How many refused requests of all accounts wait to be written; twice as many for a moment. */
const MOST_REQUESTS = 4000;

/** A refusal as the edge knows it. */
export type Refusal = RefusedRequest;

/**
 * Collects refusals in memory until they are written. The memory is bounded for each account: a flood of refusals is
 * a few sums with large counts.
 */
export class RefusalBook {
  #requests: RefusedRequest[] = [];
  #sums = new Map<string, { -readonly [Field in keyof RefusalSum]: RefusalSum[Field] }>();
  #kinds = new Map<string, number>();

  note(request: Refusal): void {
    this.#requests.push(kept(request));
    if (this.#requests.length >= 2 * MOST_REQUESTS) this.#requests = newest(this.#requests);
    const { at_ms, asked_model: _asked, message: _message, model, ...rest } = request;
    this.#sum({ ...rest, model: model ?? "" }, at_ms);
  }

  #sum(refusal: Summed, at_ms: number): void {
    const minute = Math.floor(at_ms / MS_PER_MINUTE);
    const { account_id, code } = refusal;
    const id = [minute, account_id, refusal.key_id, refusal.endpoint, code].join(" ");
    if (this.#sums.has(id)) return this.#count(id, refusal, at_ms);
    const place = `${minute} ${account_id}`;
    const kinds = this.#kinds.get(place) ?? 0;
    if (kinds >= KINDS) {
      const rest = { ...refusal, key_id: "", endpoint: "" };
      const rest_id = [minute, account_id, "", "", code].join(" ");
      if (this.#sums.has(rest_id)) return this.#count(rest_id, rest, at_ms);
      return this.#begin(rest_id, rest, minute, at_ms);
    }
    this.#kinds.set(place, kinds + 1);
    this.#begin(id, refusal, minute, at_ms);
  }

  /** Takes the newest refused requests out of the book, the oldest first. */
  takeRequests(): readonly RefusedRequest[] {
    const taken = newest(this.#requests);
    this.#requests = [];
    return taken;
  }

  take(): readonly RefusalSum[] {
    const taken = [...this.#sums.values()];
    this.#sums = new Map();
    const now = Math.max(...taken.map(({ minute }) => minute), 0);
    // No further kinds of this minute are counted apart.
    this.#kinds = new Map([...this.#kinds].filter(([place]) => place.startsWith(`${now} `)));
    return taken;
  }

  #begin(id: string, refusal: Summed, minute: number, last_ms: number): void {
    this.#sums.set(id, { ...short(refusal), minute, count: 1, last_ms });
  }

  #count(id: string, refusal: Summed, last_ms: number): void {
    const sum = this.#sums.get(id);
    if (sum === undefined) return;
    const { model, param, request_id, client_request_id } = short(refusal);
    Object.assign(sum, { count: sum.count + 1, model, param, request_id, client_request_id, last_ms });
  }
}

type Summed = Omit<RefusalSum, "minute" | "count" | "last_ms">;

/** Each account's newest, so that one account's flood leaves the others theirs, and of these as many as there is room for. */
function newest(requests: readonly RefusedRequest[]): RefusedRequest[] {
  const counts = new Map<string, number>();
  const left: RefusedRequest[] = [];
  for (const request of requests.toReversed()) {
    const count = (counts.get(request.account_id) ?? 0) + 1;
    counts.set(request.account_id, count);
    if (count <= REFUSED_KEPT && left.push(request) === MOST_REQUESTS) break;
  }
  return left.reverse();
}

/** A part of a client's text would keep the whole head or body in memory: these are copies. */
function kept(request: RefusedRequest): RefusedRequest {
  const { param, client_request_id, asked_model, message } = request;
  return {
    ...request,
    param: textOf(param, LONGEST),
    client_request_id: textOf(client_request_id, LONGEST),
    asked_model: textOf(asked_model, LONGEST_MODEL),
    message: textOf(message.replace(QUOTED, withoutWords), LONGEST_MESSAGE) ?? "",
  };
}

const QUOTED = /"((?:[^"\\]|\\.)*)"/g;
const NAME = /^(?=.*[A-Za-z])[\w.:/-]{1,64}$/;
const FEW_DIGITS = /^\d{1,6}$/;

/** A quotation from the request is kept where it is a name or a small number. Words, addresses and long numbers, which may be a person's, are taken out. */
function withoutWords(whole: string, quoted: string): string {
  return NAME.test(quoted) || FEW_DIGITS.test(quoted) || quoted === "" ? whole : '"…"';
}

/** A character that PostgreSQL cannot store would have all rows refused that are written together with it, again and again. */
function textOf(text: string | null, most: number): string | null {
  if (text === null) return null;
  return detachedText(text.slice(0, most).toWellFormed().replaceAll("\0", "\ufffd"));
}

function short<Fields extends Pick<Summed, "param" | "client_request_id">>(refusal: Fields): Fields {
  const { param, client_request_id } = refusal;
  return { ...refusal, param: textOf(param, LONGEST), client_request_id: textOf(client_request_id, LONGEST) };
}
