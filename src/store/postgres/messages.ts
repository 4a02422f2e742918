import type { ReservedSQL } from "bun";
import type { Statement } from "../sql/statement.ts";
import { isSet, type Step } from "../sql/work.ts";
import { encodeSet, literal } from "./encode-values.ts";

/** The SQL of a message before and after its steps. */
interface Around {
  readonly before?: readonly string[];
  readonly behind?: readonly string[];
}

/**
 * Steps as one message to the server, whatever their number: the session has prepared their statements, and the message executes them
 * one after the other. So a batch is two round trips, and a statement costs neither side a packet of its own. The server stops at
 * the first statement of a message that fails: nothing behind it takes place, a COMMIT included.
 */
export class Messages {
  /** The names of the statements that the session has prepared. */
  readonly #names = new Map<Statement, string>();
  #named = 0;

  /** Forgets all prepared statements, where the session is a new one or has lost them. */
  forget(): void {
    this.#names.clear();
  }

  /** Sends steps, and resolves with the rows of each. */
  async send(connection: ReservedSQL, steps: readonly Step[], around: Around = {}): Promise<(readonly unknown[])[]> {
    const { before = [], behind = [] } = around;
    const asked = steps.filter(isAsked);
    await this.prepare(connection, asked);
    const answers = await sendText(connection, [...before, ...asked.map((step) => this.#execution(step)), ...behind]);
    let next = before.length;
    return steps.map((step) => (isAsked(step) ? (answers[next++] ?? []) : []));
  }

  /** Prepares the statements that the session does not know yet: once each, so a session does so for its first batches alone. */
  async prepare(connection: ReservedSQL, steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      const { statement } = step;
      if (!isAsked(step) || this.#names.has(statement)) continue;
      // Names are never reused: a session that has lost some statements may have kept others.
      const name = `camino_${++this.#named}`;
      await connection.unsafe(`PREPARE ${name} AS ${statement.postgres}`);
      this.#names.set(statement, name);
    }
  }

  #execution(step: Step): string {
    const name = this.#names.get(step.statement);
    if (isSet(step)) return `EXECUTE ${name}(${literal(encodeSet(step))})`;
    return step.params.length === 0 ? `EXECUTE ${name}` : `EXECUTE ${name}(${step.params.map(literal).join(",")})`;
  }
}

/** A step that sets rows, but has none, is not sent. */
function isAsked(step: Step): boolean {
  return !isSet(step) || step.params.length > 0;
}

/** The rows of each statement of a text. The driver gives those of a single statement without a list around them. */
async function sendText(connection: ReservedSQL, statements: readonly string[]): Promise<(readonly unknown[])[]> {
  if (statements.length === 0) return [];
  const found: unknown[] = await connection.unsafe(statements.join(";"));
  if (statements.length === 1) return [found];
  if (found.length !== statements.length) {
    throw new Error(`the server answered ${statements.length} statements with ${found.length} results`);
  }
  return found.map((each) => (Array.isArray(each) ? each : []));
}
