import { deserialize, serialize } from "bun:jsc";
import { rm } from "node:fs/promises";
import type { Socket } from "bun";
import { FrameSocket, TEXT } from "./frame-socket.ts";
import type { Reply, Request, Task } from "./messages.ts";
import { clientOf, idOf } from "./messages.ts";
import type { WorkerClient } from "./worker-client.ts";

interface Client {
  readonly number: number;
  readonly frames: FrameSocket;
  /** Null until the client has sent its node's id. */
  node_id: string | null;
}

/** `{"id":`, before the number in an answer that is a text. */
const BEFORE_ID = 6;
const MOST_DIGITS = 16;

/**
 * Lets a gateway's workers use the database that this process owns: passes their questions to its thread and the answers back. Of a question
 * only the number is read here.
 */
export class LedgerServer {
  readonly #writer: WorkerClient;
  readonly #post: (question: Request | string) => void;
  readonly #clients = new Map<number, Client>();
  readonly #listener: Bun.UnixSocketListener<Client>;
  /** Work that waits for the end of a node's connection. */
  readonly #after: { readonly node_id: string; readonly go: () => void }[] = [];
  #last_client = 0;
  #waiting = 0;
  #onEmpty: (() => void) | null = null;

  private constructor(path: string, writer: WorkerClient) {
    this.#writer = writer;
    this.#post = writer.relay((answer) => this.#answered(answer));
    this.#listener = Bun.listen<Client>({
      unix: path,
      socket: {
        open: (socket) => this.#opened(socket),
        data: (from, bytes) => from.data.frames.received(bytes),
        drain: (to) => to.data.frames.drained(),
        close: (closed) => this.#closed(closed.data),
        error: () => {},
      },
    });
  }

  /** Listens at a socket; one that an earlier process has left is removed. */
  static async listen(path: string, writer: WorkerClient): Promise<LedgerServer> {
    await rm(path, { force: true });
    return new LedgerServer(path, writer);
  }

  /** How many questions are not answered. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Resolves when no worker is connected, or the time is over. */
  async empty(patience_ms: number): Promise<void> {
    if (this.#clients.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onEmpty = resolve;
    const timer = setTimeout(resolve, patience_ms);
    await promise;
    clearTimeout(timer);
  }

  close(): void {
    this.#listener.stop(true);
  }

  #opened(socket: Socket<Client>): void {
    this.#last_client += 1;
    const number = this.#last_client;
    const frames = new FrameSocket(socket, (kind, bytes) => {
      if (kind === TEXT) this.#askText(number, bytes.toString());
      else this.#ask(number, deserialize(new Uint8Array(bytes)) as Request);
    });
    socket.data = { number, frames, node_id: null };
    this.#clients.set(number, socket.data);
  }

  #closed(client: Client | undefined): void {
    if (client === undefined) return;
    this.#clients.delete(client.number);
    this.#writer.ask({ kind: "forget", client: client.number }).catch(() => {});
    const waiting = this.#after.splice(0);
    for (const each of waiting) this.#afterEndOf(each.node_id, each.go);
    if (this.#clients.size === 0) this.#onEmpty?.();
  }

  /**
   * Runs `go` when a node has no connection left: the last messages of a dead process may still be under way, and its holds are ended only
   * when all of its operations are known.
   */
  #afterEndOf(node_id: string, go: () => void): void {
    if (this.#clients.values().some((client) => client.node_id === node_id)) this.#after.push({ node_id, go });
    else go();
  }

  /** A packed batch: the question's id, a space, the batch. */
  #askText(client: number, question: string): void {
    const space = question.indexOf(" ");
    this.#waiting += 1;
    this.#post(`${idOf(client, Number(question.slice(0, space)))}${question.slice(space)}`);
  }

  #ask(client: number, { id, task }: Request): void {
    if (task.kind === "greet") {
      const known = this.#clients.get(client);
      if (known !== undefined) known.node_id = task.node_id;
      return;
    }
    const asked = idOf(client, id);
    this.#waiting += 1;
    if (isOwners(task)) return this.#send(asked, { id: asked, ok: false, message: OWNERS, is_conflict: false });
    const go = (): void => this.#post({ id: asked, task });
    if (task.kind === "bury") this.#afterEndOf(task.node_id, go);
    else go();
  }

  /** Whether an answer was for a client. */
  #answered(answer: Reply | string): boolean {
    const id =
      typeof answer === "string" ? Number.parseInt(answer.slice(BEFORE_ID, BEFORE_ID + MOST_DIGITS), 10) : answer.id;
    if (clientOf(id) === 0) return false;
    this.#send(id, answer);
    return true;
  }

  /** The worker that asked may be gone. */
  #send(id: number, answer: Reply | string): void {
    this.#waiting -= 1;
    const frames = this.#clients.get(clientOf(id))?.frames;
    if (typeof answer === "string") frames?.sendText(answer);
    else frames?.sendClone(new Uint8Array(serialize(answer)));
  }
}

const OWNERS = "the database is opened and closed by the process that owns it";

function isOwners({ kind }: Task): boolean {
  return kind === "open" || kind === "close" || kind === "forget";
}
