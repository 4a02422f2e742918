import type { Task } from "./messages.ts";

/** The way to a database thread: one of this process, or that of the process which owns the database. */
export interface DatabaseClient {
  /** Whether other processes change the database through the same thread. */
  readonly is_shared: boolean;
  /** Grows with each new way to a thread: texts that were sent on an earlier way are unknown there. */
  readonly connection: number;
  /** The answer's type is the task's, which the thread and the store agree on. */
  ask<Answer>(task: Task): Promise<Answer>;
  /** Commits a packed batch, as JSON: a text is cheaper to send than a structured clone. */
  commit<Answer>(batch: string): Promise<Answer>;
  close(): Promise<void>;
}
