import { join } from "node:path";
import { newId } from "../../core/ids.ts";
import type { Log } from "../../observe/log.ts";
import { Child } from "./child.ts";
import type {
  Assignment,
  FromProcess,
  LedgerAssignment,
  OwnReport,
  Ports,
  ProcessReport,
  ServeInput,
  Started,
  SubjectCount,
} from "./messages.ts";
import { ProcessSlot } from "./slot.ts";

const WORKER = "worker-process.ts";
const LEDGER = "ledger-process.ts";
/** How long a process may take to report before the others' reports go without it. */
const REPORT_PATIENCE_MS = 1500;

interface SupervisorParts {
  /** Where the modules of the processes are. */
  readonly folder: string;
  readonly given: ServeInput;
  /** How many workers serve. */
  readonly workers: number;
  /** The embedded database's file, and the socket at which its ledger is reached; null where workers share a server. */
  readonly ledger: Pick<LedgerAssignment, "path" | "socket"> | null;
  readonly log: Log;
}

/** Reports that are awaited from all processes. */
interface Gathering {
  readonly open: Set<Child>;
  readonly found: Map<Child, OwnReport>;
  readonly done: () => void;
}

/**
 * Keeps a gateway's processes running (docs/adr/0036-workers.md): starts them, replaces those that end, has the holds of dead ones
 * ended, hands their messages on, and stops them. It answers no requests and knows no money.
 */
export class Supervisor {
  readonly #parts: SupervisorParts;
  readonly #workers: readonly ProcessSlot[];
  readonly #ledger: ProcessSlot | null;
  readonly #nodes = new Map<Child, string>();
  /** Workers that have died and whose holds have not been ended yet. */
  readonly #unburied = new Set<string>();
  readonly #gatherings = new Map<number, Gathering>();
  #ports: Ports | null = null;
  #last_id = 0;
  #renewing: Promise<void> | null = null;
  #is_stopping = false;

  constructor(parts: SupervisorParts) {
    this.#parts = parts;
    const { log, ledger } = parts;
    const onEnd = (child: Child): void => this.#ended(child);
    this.#workers = Array.from({ length: parts.workers }, (_, index) => {
      const start = (): Child => this.#startWorker(index + 1);
      return new ProcessSlot({ name: `worker ${index + 1}`, start, onEnd, log });
    });
    this.#ledger =
      ledger === null ? null : new ProcessSlot({ name: "ledger", start: () => this.#startLedger(ledger), onEnd, log });
  }

  /** Starts all processes: the first worker alone, which finds the ports. Rejects with the sentence of the one that cannot. */
  async open(): Promise<Started> {
    await this.#ledger?.open();
    const [first, ...others] = this.#workers;
    if (first === undefined) throw new Error("a gateway has at least one worker");
    const started = await first.open();
    this.#ports = started.ports;
    // The order to end came after the first worker began to serve, and before the others: they are not started.
    if (this.#is_stopping) return started;
    await Promise.all(others.map((slot) => slot.open()));
    return started;
  }

  /** Orders the workers to end; a second time: at once. */
  stop(): void {
    this.#is_stopping = true;
    for (const slot of this.#workers) slot.close();
  }

  /** Resolves when all processes have ended: the workers first, whose ends the ledger books. */
  async ended(): Promise<void> {
    await Promise.all(this.#workers.map((slot) => slot.ended()));
    this.#ledger?.close();
    await this.#ledger?.ended();
  }

  /** Replaces the workers one after the other, each by one with the configuration as it is now. Never rejects. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  async #renew(): Promise<void> {
    const { log } = this.#parts;
    for (const [index, slot] of this.#workers.entries()) {
      try {
        await slot.renew();
      } catch (thrown) {
        return log.error({ err: thrown, worker: index + 1 }, "a new worker does not start: the old ones go on");
      }
    }
    log.info({ workers: this.#workers.length }, "all workers were replaced");
  }

  #startWorker(number: number): Child {
    const { given, workers, ledger } = this.#parts;
    const node_id = newId("node");
    const assignment: Assignment = {
      ...{ number, node_id, processes: workers, is_first: this.#ports === null, ports: this.#ports, given },
      ledger_socket: ledger?.socket ?? null,
    };
    const child = new Child(join(this.#parts.folder, WORKER), { kind: "serve", assignment }, (message, from) =>
      this.#take(message, from),
    );
    this.#nodes.set(child, node_id);
    return child;
  }

  #startLedger({ path, socket }: Pick<LedgerAssignment, "path" | "socket">): Child {
    const living = this.#workers.flatMap((slot) => slot.all.map((child) => this.#nodes.get(child) ?? ""));
    const assignment: LedgerAssignment = { path, socket, living, given: this.#parts.given };
    return new Child(join(this.#parts.folder, LEDGER), { kind: "keep ledger", assignment }, (message, from) =>
      this.#take(message, from),
    );
  }

  #ended(child: Child): void {
    for (const gathering of this.#gatherings.values()) drop(gathering, child);
    const node_id = this.#nodes.get(child);
    this.#nodes.delete(child);
    if (node_id === undefined) return;
    this.#unburied.add(node_id);
    this.#haveBuried();
  }

  /** Has a serving worker end the holds of those that died. If it dies before it is done, the next one is asked. */
  #haveBuried(): void {
    if (this.#unburied.size === 0) return;
    const [worker] = this.#serving();
    worker?.send({ kind: "bury", nodes: [...this.#unburied] });
  }

  #serving(): Child[] {
    return this.#workers.flatMap(({ current }) => (current?.state === "ready" ? [current] : []));
  }

  #take(message: FromProcess, from: Child): void {
    switch (message.kind) {
      case "ready":
        return this.#haveBuried();
      case "stopping":
        for (const slot of this.#workers) slot.succeed(from);
        return;
      case "buried":
        for (const node of message.nodes) this.#unburied.delete(node);
        return;
      case "counts":
        return this.#handOn(message.counts, from);
      case "ask":
        return void this.#answer(message.id, from);
      case "report": {
        const gathering = this.#gatherings.get(message.id);
        gathering?.found.set(from, message.report);
        if (gathering !== undefined) drop(gathering, from);
        return;
      }
      default:
        return;
    }
  }

  #handOn(counts: readonly SubjectCount[], from: Child): void {
    for (const slot of this.#workers)
      for (const child of slot.all)
        if (child !== from && child.state !== "starting") child.send({ kind: "counts", counts });
  }

  async #answer(id: number, from: Child): Promise<void> {
    from.send({ kind: "reports", id, reports: await this.#gather() });
  }

  /** The reports of all processes, and the little that is known of processes that do not answer. */
  async #gather(): Promise<ProcessReport[]> {
    this.#last_id += 1;
    const id = this.#last_id;
    const slots = this.#ledger === null ? this.#workers : [...this.#workers, this.#ledger];
    const asked = slots.flatMap((slot) => slot.all);
    const { promise, resolve } = Promise.withResolvers<void>();
    const gathering: Gathering = { open: new Set(asked), found: new Map(), done: resolve };
    this.#gatherings.set(id, gathering);
    for (const child of asked) child.send({ kind: "report", id });
    const timer = setTimeout(resolve, REPORT_PATIENCE_MS);
    await promise;
    clearTimeout(timer);
    this.#gatherings.delete(id);
    return slots.flatMap((slot, index) => {
      const number = slot === this.#ledger ? null : index + 1;
      const place = { number, restarts: slot.restarts };
      const found = slot.all.map((child) => this.#reportOf(place, child, gathering.found.get(child) ?? null));
      return found.length > 0 ? found : [{ ...place, state: "down" as const, ...NOBODY }];
    });
  }

  #reportOf(place: Pick<ProcessReport, "number" | "restarts">, child: Child, own: OwnReport | null): ProcessReport {
    const { state, pid, started_ms } = child;
    return { ...place, state, pid, started_ms, own, node_id: this.#nodes.get(child) ?? null };
  }
}

const NOBODY = { pid: null, node_id: null, started_ms: null, own: null } as const;

/** Goes on without the report of a process, or with its last report. */
function drop({ open, done }: Gathering, child: Child): void {
  open.delete(child);
  if (open.size === 0) done();
}
