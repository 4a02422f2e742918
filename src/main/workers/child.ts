import { systemClock } from "../../core/clock.ts";
import type { FromProcess, ProcessState, Started, ToProcess } from "./messages.ts";

/** A process of the gateway, as its supervisor sees it. */
export class Child {
  readonly pid: number;
  readonly started_ms: number;
  /** Settles with the exit status, or the signal's name. */
  readonly exited: Promise<number | string>;
  /** Resolves when it serves; rejects with its own sentence when it ends before. */
  readonly ready: Promise<Started>;
  state: ProcessState = "starting";
  /** Whether it got the order to end. */
  is_stopping = false;
  #is_connected = true;
  readonly #process: Bun.Subprocess<"ignore", "inherit", "inherit">;

  /** `program` is the path of its module. */
  constructor(program: string, first: ToProcess, take: (message: FromProcess, from: Child) => void) {
    const { promise, resolve, reject } = Promise.withResolvers<Started>();
    this.ready = promise;
    // A caller may never look at `ready`: its rejection must not end the process.
    promise.catch(() => {});
    let problem: string | null = null;
    this.started_ms = systemClock.now_ms();
    this.#process = Bun.spawn([process.execPath, program], {
      stdio: ["ignore", "inherit", "inherit"],
      onDisconnect: () => {
        this.#is_connected = false;
      },
      ipc: (message: FromProcess) => {
        if (message.kind === "failed") problem = message.message;
        if (message.kind === "stopping") {
          this.is_stopping = true;
          this.state = "draining";
        } else if (message.kind === "ready") {
          if (this.state === "starting") this.state = "ready";
          resolve(message.started);
        }
        take(message, this);
      },
    });
    this.pid = this.#process.pid;
    this.exited = this.#process.exited.then((status) => {
      this.state = "down";
      const how = this.#process.signalCode ?? status;
      reject(new Error(problem ?? `a process of the gateway ended with ${how} before it served`));
      return how;
    });
    this.send(first);
  }

  /** Says something to the process; nothing where it has closed its channel, because it ends. */
  send(message: ToProcess): void {
    if (!this.#is_connected) return;
    try {
      this.#process.send(message);
    } catch {
      // It has ended just now, which is seen by itself.
    }
  }

  /** Orders it to end gracefully; a second time: at once. */
  stop(): void {
    this.is_stopping = true;
    if (this.state !== "down") this.state = "draining";
    this.send({ kind: "stop" });
  }
}
