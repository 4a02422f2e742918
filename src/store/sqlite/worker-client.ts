import type { StoreNotice } from "../../core/operations/incidents.ts";
import { type Caller, type DatabaseClient, giveAnswer } from "./database-client.ts";
import type { Notification, Reply, Request, Task } from "./messages.ts";

interface NumberedCaller extends Caller {
  readonly id: number;
}

/** The main thread's end of a database thread: asks and awaits answers, many at a time. */
export class WorkerClient implements DatabaseClient {
  readonly is_shared = false;
  readonly connection = 0;
  readonly #worker: Worker;
  /** The waiting callers, in the order of their questions. No Map, for the reason in core/unordered-set.ts. */
  readonly #callers: NumberedCaller[] = [];
  #last_id = 0;
  /** The error for every caller once the thread is gone. */
  #gone: Error | null = null;

  readonly #notify: (notice: StoreNotice) => void;
  #relayed: ((answer: Reply | string) => boolean) | null = null;

  /** `worker`: another thread than that of the database, for tests. */
  constructor(notify: (notice: StoreNotice) => void, worker?: Worker) {
    this.#notify = notify;
    // The thread's objects are short-lived: a small heap keeps the process small and costs it nothing.
    this.#worker = worker ?? new Worker(new URL("./database-worker.ts", import.meta.url).href, { smol: true });
    this.#worker.onmessage = ({ data }: MessageEvent<Reply | Notification | string>) => {
      if (this.#relayed !== null && !(typeof data === "object" && "notice" in data) && this.#relayed(data)) return;
      if (typeof data === "string") this.#take(JSON.parse(data) as Reply);
      else if ("notice" in data) this.#notify(data.notice);
      else this.#take(data);
    };
    this.#worker.onerror = ({ message }) => this.#lose(`the database thread failed: ${message}`);
    this.#worker.addEventListener("close", () => this.#lose("the database thread ended"));
  }

  /** The answer's type is the task's, which the thread and the store agree on. */
  ask<Answer>(task: Task): Promise<Answer> {
    return this.#ask((id): Request => ({ id, task })) as Promise<Answer>;
  }

  /** Commits a packed batch, as JSON: a text is cheaper to send than a structured clone. */
  commit<Answer>(batch: string): Promise<Answer> {
    return this.#ask((id) => `${id} ${batch}`) as Promise<Answer>;
  }

  /**
   * Relays questions of other clients, whose numbers differ from this client's (messages.ts). `answered` gets every answer first and returns
   * whether it was for one of them.
   */
  relay(answered: (answer: Reply | string) => boolean): (question: Request | string) => void {
    this.#relayed = answered;
    return (question) => this.#worker.postMessage(question);
  }

  #ask(message: (id: number) => Request | string): Promise<unknown> {
    if (this.#gone !== null) return Promise.reject(this.#gone);
    return new Promise<unknown>((resolve, reject) => {
      this.#last_id += 1;
      this.#callers.push({ id: this.#last_id, resolve, reject });
      this.#worker.postMessage(message(this.#last_id));
    });
  }

  /** Closes the database once what was asked before is answered, and ends the thread. */
  async close(): Promise<void> {
    if (this.#gone !== null) return;
    const closed = this.ask({ kind: "close" });
    this.#gone = new Error("the database is closed");
    await closed;
    this.#worker.terminate();
  }

  #take(reply: Reply): void {
    const at = this.#callers.findIndex(({ id }) => id === reply.id);
    if (at === -1) return;
    const [caller] = this.#callers.splice(at, 1);
    if (caller !== undefined) giveAnswer(caller, reply);
  }

  /** The thread's state cannot be trusted any more: the gateway's owner must end the process. */
  #lose(message: string): void {
    if (this.#gone !== null) return;
    this.#gone = new Error(message);
    for (const { reject } of this.#callers.splice(0)) reject(this.#gone);
    this.#notify({ level: "fatal", message });
  }
}
