import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { Call } from "../wire/client/call.ts";
import { Pool } from "../wire/client/pool.ts";
import { requestBytes } from "../wire/client/request-bytes.ts";
import { readTarget, type UrlTarget } from "../wire/client/target.ts";
import { UpstreamError, type UpstreamFault } from "../wire/client/upstream-error.ts";
import { Deadlines } from "../wire/deadlines.ts";
import { isPublicAddress } from "./public-address.ts";

/** An attempt is given half a minute in all (docs/rulings.md 185). */
const TIMEOUTS = { connect_ms: 10_000, first_byte_ms: 30_000, idle_ms: 30_000, total_ms: 30_000 };
const LOOKUP_MS = 10_000;

/** Why a request was not answered, in a few words that have no address, no credential and nothing of an answer. */
export class PostError extends Error {
  override readonly name = "PostError";
  /** Whether the target is one that may never be asked, rather than one that does not answer now. */
  readonly is_refused: boolean;

  constructor(message: string, is_refused = false) {
    super(message);
    this.is_refused = is_refused;
  }
}

export interface GuardedPost {
  /** Default: POST. */
  readonly method?: "POST" | "PUT";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether http and inner networks are allowed: for what an operator has named. */
  readonly may_be_private: boolean;
}

/** Several requests to one receiver. */
export interface ReceiverLine {
  readonly post: GuardedClient["post"];
  readonly end: () => void;
}

interface Way {
  readonly pool: Pool;
  readonly lookUp: LookUp;
  readonly is_kept: boolean;
}

/** Every address of a name, as the system looks it up. */
export type LookUp = (hostname: string) => Promise<readonly string[]>;

/**
 * Sends requests to addresses that people have typed in (docs/rulings.md 185). A name is looked up once for each request, every address that it
 * has must be public, and the connection goes to the address that was looked at: a name that changes meanwhile leads nowhere else. Redirects are
 * answers like any other, and connections are not kept, but on a line. No proxy of the environment is used, as it would look up the name itself.
 */
export class GuardedClient {
  readonly #deadlines = new Deadlines();
  readonly #lookUp: LookUp;
  readonly #running = new Set<Call>();
  #is_stopped = false;

  constructor(lookUp: LookUp = lookUpAll) {
    this.#lookUp = lookUp;
  }

  /** Resolves with the answer's status, whatever it is; the answer's body is not read. Rejects with a PostError. */
  post(asked: GuardedPost): Promise<number> {
    // A pool of its own: no connection is kept for a request whose name may have another address by then.
    return this.#post(asked, { pool: new Pool(this.#deadlines, () => {}), lookUp: this.#lookUp, is_kept: false });
  }

  async #post(asked: GuardedPost, way: Way): Promise<number> {
    const target = targetOf(asked);
    const addresses = await this.#addressesOf(target, asked.may_be_private, way);
    let failure = new PostError("the name has no address");
    for (const address of addresses) {
      const was_kept = way.pool.size > 0;
      try {
        return await this.#send({ ...target, address }, asked, way);
      } catch (thrown) {
        if (!(thrown instanceof UpstreamError)) throw thrown;
        if (was_kept && thrown.fault === "broken") {
          way.pool.closeAll();
          return await this.#post(asked, way);
        }
        failure = new PostError(WORDS[thrown.fault]);
        // Nothing was sent, so another address of the name may be tried.
        if (thrown.fault !== "unreachable") break;
      }
    }
    throw failure;
  }

  /**
   * Requests to one receiver that an operator has named, one after the other: its name is looked up once, and the connection is kept between
   * them. A request on a connection that breaks before an answer is sent once more on a new one.
   */
  line(): ReceiverLine {
    const pool = new Pool(this.#deadlines, () => {});
    let found: Promise<readonly string[]> | null = null;
    const lookUp = (hostname: string): Promise<readonly string[]> => {
      found ??= this.#lookUp(hostname);
      return found;
    };
    const on: Way = { pool, lookUp, is_kept: true };
    return { post: (asked) => this.#post({ ...asked, may_be_private: true }, on), end: () => pool.closeAll() };
  }

  /** Ends what is under way, and takes nothing more. */
  stop(): void {
    this.#is_stopped = true;
    for (const call of this.#running) call.abort();
  }

  async #addressesOf({ hostname }: UrlTarget, may_be_private: boolean, way: Way): Promise<readonly string[]> {
    const found = isIP(hostname) === 0 ? await findIn(way, hostname) : [hostname];
    if (may_be_private) return found.slice(0, 4);
    if (!found.every(isPublicAddress)) throw new PostError("the address is not a public one", true);
    return found.slice(0, 4);
  }

  async #send(target: UrlTarget, { url, headers, body }: GuardedPost, { pool, is_kept }: Way): Promise<number> {
    if (this.#is_stopped) throw new PostError("the gateway stops");
    const call = new Call(this.#deadlines, TIMEOUTS);
    this.#running.add(call);
    try {
      const head = is_kept ? { ...headers } : { ...headers, connection: "close" };
      pool.send(target, call, requestBytes(target, { url, headers: head, body }));
      const reply = await call.reply;
      // A connection is kept once its answer has ended.
      if (is_kept && reply.status < 300) await reply.readSmall().catch(() => {});
      else reply.discard();
      return reply.status;
    } finally {
      this.#running.delete(call);
    }
  }
}

async function findIn({ lookUp }: Way, hostname: string): Promise<readonly string[]> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new PostError("the name was not found in time")), LOOKUP_MS);
  try {
    return await Promise.race([late, lookUp(hostname)]);
  } catch (thrown) {
    throw thrown instanceof PostError ? thrown : new PostError("the name has no address");
  } finally {
    clearTimeout(timer);
  }
}

const WORDS: Readonly<Record<UpstreamFault, string>> = {
  unreachable: "no connection could be made",
  first_byte_timeout: "no answer came within 30 seconds",
  idle_timeout: "the answer paused for too long",
  total_timeout: "no answer came within 30 seconds",
  broken: "the connection broke before an answer",
  credential: "the request could not be written",
  too_large: "the answer is too large",
  aborted: "the gateway stopped meanwhile",
};

/** What is wrong with an address that somebody typed in, as a sentence's end; null where it may be tried. */
export function addressProblem(url: string, may_be_private: boolean): string | null {
  const target = readTarget(url);
  if (target === null) return "no https address with a host's name and without a name and password in it";
  if (may_be_private) return null;
  if (!target.is_secure) return "not https";
  const { hostname } = target;
  if (isIP(hostname) !== 0 || !hostname.includes(".") || /(^|\.)(localhost|local|internal)\.?$/i.test(hostname))
    return "not a public host's name";
  return null;
}

function targetOf({ method = "POST", url, may_be_private }: GuardedPost): UrlTarget {
  const target = readTarget(url);
  const problem = addressProblem(url, may_be_private);
  if (target === null || problem !== null) throw new PostError(`the address is ${problem}`, true);
  return { ...target, request_line: target.request_line.replace(/^POST/, method) };
}

async function lookUpAll(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
}
