import { StoreConflict } from "../../core/store/ports.ts";
import type { Reply, Task } from "./messages.ts";

/** A client of a database thread, which runs in this process or in the process that owns the database. */
export interface DatabaseClient {
  /** Whether other processes change the database through the same thread. */
  readonly is_shared: boolean;
  /** Grows with each new connection to a thread, which does not know the texts that were sent on an earlier one. */
  readonly connection: number;
  /** The answer's type is the task's, which the thread and the store agree on. */
  ask<Answer>(task: Task): Promise<Answer>;
  /** Commits a packed batch, as JSON: a text is cheaper to send than a structured clone. */
  commit<Answer>(batch: string): Promise<Answer>;
  close(): Promise<void>;
}

/** How the one who asked a question gets its answer. */
export interface Caller {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export function giveAnswer({ resolve, reject }: Caller, reply: Reply): void {
  if (reply.ok) resolve(reply.value);
  else reject(reply.is_conflict ? new StoreConflict(reply.message) : new Error(reply.message));
}
