/**
 * The subjects of messages between the processes of one gateway: reads of a key (`LIMIT KEY_ID`), changed keys, a configuration that is to be read again, wrong and right tokens and refused
 * sign-ins by network.
 */
export type Subject =
  | "reads"
  | "changed key"
  | "emptied cache"
  | "configuration"
  | "wrong admin token"
  | "right admin token"
  | "wrong operations token"
  | "right operations token"
  | "refused sign-in";

/**
 * The processes of a gateway that runs as several on one machine (docs/adr/0036-workers.md). Counts that are in no database are
 * kept in each process and sent to the others: else a limit would be multiplied by the number of processes.
 */
export interface WorkerGroup {
  /** How many processes serve, this one included. */
  readonly processes: number;
  /** Sends a message to the others, within a few hundredths of a second. */
  tell(subject: Subject, name: string): void;
  /** `take` is called with the messages of the others: a name, and how often it was sent. */
  hear(subject: Subject, take: (name: string, count: number) => void): void;
}

/** A gateway that is one process. */
export const ALONE: WorkerGroup = { processes: 1, tell: () => {}, hear: () => {} };

/** The messages of one subject, for counters that are kept by name. */
export interface Shared {
  tell(name: string): void;
  hear(take: (name: string, count: number) => void): void;
}

export function sharedAs(workers: WorkerGroup, subject: Subject): Shared {
  return { tell: (name) => workers.tell(subject, name), hear: (take) => workers.hear(subject, take) };
}
