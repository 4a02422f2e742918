import type { Subject, WorkerGroup } from "../../core/worker-group.ts";
import type { ProcessChannel } from "./channel.ts";
import type {
  Assignment,
  FromProcess,
  OwnReport,
  ProcessReport,
  Started,
  SubjectCount,
  ToProcess,
} from "./messages.ts";

/** How long messages are gathered before they are sent: the counts of a gateway's processes may differ for so long. */
const TELL_AFTER_MS = 50;
/** How long the others may take to report. */
const REPORT_PATIENCE_MS = 3000;

type TakeReports = (reports: readonly ProcessReport[]) => void;

/** The duties of a worker at the supervisor's word. */
export interface WorkerDuties {
  report(): OwnReport;
  /** Ends the holds of workers that have died. */
  bury(nodes: readonly string[]): Promise<void>;
}

/** A worker's end of its channel to the supervisor. */
export class WorkerLink implements WorkerGroup {
  readonly assignment: Assignment;
  readonly #channel: ProcessChannel<FromProcess, ToProcess>;
  readonly #listeners = new Map<Subject, ((name: string, count: number) => void)[]>();
  readonly #counts = new Map<Subject, Map<string, number>>();
  readonly #asked = new Map<number, TakeReports>();
  readonly #stopped = Promise.withResolvers<string>();
  #last_id = 0;
  #telling: Timer | null = null;
  /** How often the supervisor has ordered the worker to end. */
  #stop_orders = 0;
  #is_stopping = false;
  #onHurry: (() => void) | null = null;
  #duties: WorkerDuties | null = null;

  constructor(assignment: Assignment, channel: ProcessChannel<FromProcess, ToProcess>) {
    this.assignment = assignment;
    this.#channel = channel;
    channel.hear((message) => this.#take(message));
    // Without a supervisor no order to end would come, and the successor needs the port: running requests are cut and settled.
    channel.onGone(() => {
      this.#stop_orders = 2;
      this.#stop("the supervisor is gone");
    });
  }

  get processes(): number {
    return this.assignment.processes;
  }

  /** Resolves with the reason when the worker is to end. */
  get stopped(): Promise<string> {
    return this.#stopped.promise;
  }

  /** `hurry` is called when the worker is to end at once. */
  onHurry(hurry: () => void): void {
    this.#onHurry = hurry;
    if (this.#stop_orders > 1) hurry();
  }

  /**
   * A signal to this process. It is not the second word to end, however often it comes: service managers send theirs to all
   * processes, and the supervisor passes on its own.
   */
  signalled(signal: string): void {
    if (this.#is_stopping) return;
    this.#channel.send({ kind: "stopping" });
    this.#stop(signal);
  }

  /** Reports that the worker serves, and sets the duties that it does at the supervisor's word. */
  ready(started: Started, duties: WorkerDuties): void {
    this.#duties = duties;
    this.#channel.send({ kind: "ready", started });
  }

  /** The reports of all processes of the gateway; rejects where the supervisor does not answer. */
  async reports(): Promise<readonly ProcessReport[]> {
    this.#last_id += 1;
    const id = this.#last_id;
    const { promise, resolve, reject } = Promise.withResolvers<readonly ProcessReport[]>();
    const timer = setTimeout(() => reject(new Error("the supervisor does not answer")), REPORT_PATIENCE_MS);
    this.#asked.set(id, resolve);
    this.#channel.send({ kind: "ask", id });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#asked.delete(id);
    }
  }

  tell(subject: Subject, name: string): void {
    const names = this.#counts.get(subject) ?? new Map<string, number>();
    this.#counts.set(subject, names);
    names.set(name, (names.get(name) ?? 0) + 1);
    this.#telling ??= setTimeout(() => this.#sendCounts(), TELL_AFTER_MS);
  }

  hear(subject: Subject, take: (name: string, count: number) => void): void {
    this.#listeners.set(subject, [...(this.#listeners.get(subject) ?? []), take]);
  }

  #sendCounts(): void {
    this.#telling = null;
    const counts: SubjectCount[] = [];
    for (const [subject, names] of this.#counts) for (const [name, count] of names) counts.push([subject, name, count]);
    this.#counts.clear();
    this.#channel.send({ kind: "counts", counts });
  }

  #take(message: ToProcess): void {
    switch (message.kind) {
      case "stop":
        this.#stop_orders += 1;
        return this.#stop("the supervisor's word");
      case "report": {
        if (this.#duties === null) return;
        return this.#channel.send({ kind: "report", id: message.id, report: this.#duties.report() });
      }
      case "reports":
        return this.#asked.get(message.id)?.(message.reports);
      case "bury":
        return void this.#bury(message.nodes);
      case "counts":
        for (const [subject, name, count] of message.counts)
          for (const take of this.#listeners.get(subject) ?? []) take(name, count);
        return;
      default:
        return;
    }
  }

  async #bury(nodes: readonly string[]): Promise<void> {
    await this.#duties?.bury(nodes);
    this.#channel.send({ kind: "buried", nodes });
  }

  #stop(reason: string): void {
    this.#is_stopping = true;
    this.#stopped.resolve(reason);
    if (this.#stop_orders > 1) this.#onHurry?.();
  }
}
