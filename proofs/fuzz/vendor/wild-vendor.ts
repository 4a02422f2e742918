import type { Socket } from "bun";
import { Draw } from "../../torture/draw.ts";
import { type Asked, complaintAbout, readAsked } from "./asked.ts";
import { type AnswerPlan, planAnswer } from "./plan-answer.ts";

/** A vendor of every protocol over raw sockets, which answers soundly or misbehaves as the case's seed says. */
export interface WildVendor {
  readonly url: string;
  /** Every request of which all has come, and every request that was answered before that. */
  readonly requests: readonly VendorRequest[];
  /** What the model `m<slot>` does from now on. */
  assign(slot: number, seed: number, marker: string): void;
  forget(): void;
  stop(): void;
}

export interface VendorRequest {
  readonly asked: Asked;
  /** The kind of answer that was given. */
  readonly kind: string;
  readonly status: number;
  /** What was wrong with the gateway's request; null where it was right. */
  complaint: string | null;
}

interface Role {
  readonly seed: number;
  readonly marker: string;
  asked: number;
}

const HEAD_END = "\r\n\r\n";
/** Names another seed than the case's own draws use. */
const VENDOR_SEEDS = 7_919;

export function startWildVendor(): WildVendor {
  const requests: VendorRequest[] = [];
  const roles = new Map<number, Role>();
  const server = Bun.listen<Line>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open: (socket) => {
        socket.data = new Line(socket, roles, requests);
      },
      data: (socket, chunk) => socket.data.take(chunk),
      drain: (socket) => socket.data.flush(),
      close: (socket) => socket.data.end(),
      error: () => {},
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    assign: (slot, seed, marker) => void roles.set(slot, { seed, marker, asked: 0 }),
    forget: () => {
      requests.length = 0;
      roles.clear();
    },
    stop: () => server.stop(true),
  };
}

/** One connection of the gateway: requests one after the other. */
class Line {
  readonly #socket: Socket<Line>;
  readonly #roles: ReadonlyMap<number, Role>;
  readonly #requests: VendorRequest[];
  #gathered: Buffer = Buffer.alloc(0);
  #unsent: Buffer = Buffer.alloc(0);
  /** The request that is being answered while its body still comes. */
  #current: VendorRequest | null = null;
  #is_over = false;

  constructor(socket: Socket<Line>, roles: ReadonlyMap<number, Role>, requests: VendorRequest[]) {
    this.#socket = socket;
    this.#roles = roles;
    this.#requests = requests;
  }

  take(chunk: Buffer): void {
    this.#gathered = Buffer.concat([this.#gathered, chunk]);
    const head_end = this.#gathered.indexOf(HEAD_END);
    if (head_end === -1) return;
    const head = this.#gathered.toString("latin1", 0, head_end);
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
    const start = head_end + HEAD_END.length;
    const body = this.#gathered.toString("utf8", start, start + length);
    const asked = readAsked(head.split(" ")[1] ?? "", body);
    const is_whole = this.#gathered.length >= start + length;
    if (this.#current === null && asked !== null) this.#begin(asked, is_whole);
    if (!is_whole) return;
    const complaint = complaintAbout(head, body);
    if (this.#current !== null) this.#current.complaint = complaint;
    else if (asked === null || complaint !== null)
      this.#note(asked ?? NOBODY, complaint ?? `${head.split("\r\n")[0]} asks for nothing known`);
    this.#current = null;
    this.#gathered = this.#gathered.subarray(start + length);
  }

  #note(asked: Asked, complaint: string): void {
    this.#requests.push({ asked, kind: "none", status: 404, complaint });
    this.#write(Buffer.from("HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\n{}"));
  }

  /** Answers when all of the request has come, or earlier if the case wants that. */
  #begin(asked: Asked, is_whole: boolean): void {
    const role = this.#roles.get(asked.slot ?? -1);
    if (role === undefined)
      return is_whole ? this.#note(asked, `the model ${asked.slot} was not asked for by any case`) : undefined;
    const plan = planAnswer(asked, role.marker, new Draw(role.seed * VENDOR_SEEDS + role.asked));
    if (!is_whole && !plan.early) return;
    role.asked += 1;
    this.#current = { asked, kind: plan.kind, status: plan.status, complaint: null };
    this.#requests.push(this.#current);
    void this.#perform(plan);
  }

  async #perform({ delay_ms, pieces, ending }: AnswerPlan): Promise<void> {
    if (delay_ms > 0) await Bun.sleep(delay_ms);
    for (const { bytes, pause_ms } of pieces) {
      if (pause_ms > 0) await Bun.sleep(pause_ms);
      this.#write(bytes);
    }
    if (this.#is_over) return;
    if (ending === "close") this.#socket.end();
    else if (ending === "reset") this.#socket.terminate();
  }

  #write(bytes: Buffer): void {
    this.#unsent = Buffer.concat([this.#unsent, bytes]);
    this.flush();
  }

  flush(): void {
    if (this.#is_over || this.#unsent.length === 0) return;
    const taken = this.#socket.write(this.#unsent);
    this.#unsent = this.#unsent.subarray(Math.max(0, taken));
  }

  end(): void {
    this.#is_over = true;
  }
}

const NOBODY: Asked = { protocol: "chat-completions", stream: false, slot: null, body: null };
