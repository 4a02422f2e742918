import { toGatewayError } from "../../core/errors.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import type { FoundTurn, RecallSource } from "../memory/recall-source.ts";
import type { MemoryReply, MemoryRequest } from "./messages.ts";
import { errorFromWorker, postedError } from "./posted-error.ts";

/** A question without the number under which it is asked. */
type Sought = MemoryRequest extends infer Each ? (Each extends MemoryRequest ? Omit<Each, "memory_id"> : never) : never;
type Found = Extract<MemoryReply, { found: unknown }>["found"];

/** The memory of responses as a body worker has it: it asks the serving thread. */
export class RemoteMemory implements RecallSource {
  readonly #post: (question: MemoryRequest) => void;
  readonly #waiting = new Map<number, { resolve: (found: Found) => void; reject: (thrown: Error) => void }>();
  #last_id = 0;

  constructor(post: (question: MemoryRequest) => void) {
    this.#post = post;
  }

  /** Takes the serving thread's answer. */
  take(answered: MemoryReply): void {
    const waiting = this.#waiting.get(answered.memory_id);
    this.#waiting.delete(answered.memory_id);
    if ("thrown" in answered) waiting?.reject(errorFromWorker(answered.thrown));
    else waiting?.resolve(answered.found);
  }

  async turns(account_id: string, id: string, most_bytes: number): Promise<readonly FoundTurn[] | null> {
    return (await this.#ask({ seeks: "turns", account_id, id, most_bytes })) as FoundTurn[] | null;
  }

  async placesOf(account_id: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return (await this.#ask({ seeks: "places", account_id, ids })) as ReadonlyMap<string, string>;
  }

  async *opened(
    account_id: string,
    keys: readonly string[],
    with_input: boolean,
    most_bytes: number,
  ): AsyncIterable<FoundTurn> {
    yield* (await this.#ask({ seeks: "opened", account_id, keys, with_input, most_bytes })) as FoundTurn[];
  }

  #ask(sought: Sought): Promise<Found> {
    return new Promise((resolve, reject) => {
      this.#last_id += 1;
      this.#waiting.set(this.#last_id, { resolve, reject });
      this.#post({ ...sought, memory_id: this.#last_id });
    });
  }
}

/** Answers a body worker's question from the memory. Never rejects. */
export async function answerFrom(memory: RecallSource, question: MemoryRequest): Promise<MemoryReply> {
  const { memory_id } = question;
  try {
    return { memory_id, found: await find(memory, question) };
  } catch (thrown) {
    // The other thread cannot tell an error's class.
    return { memory_id, thrown: postedError(thrown instanceof StoreUnavailable ? toGatewayError(thrown) : thrown) };
  }
}

async function find(memory: RecallSource, question: MemoryRequest): Promise<Found> {
  const { account_id } = question;
  switch (question.seeks) {
    case "turns": {
      const turns = await memory.turns(account_id, question.id, question.most_bytes);
      return turns === null ? null : [...turns];
    }
    case "places":
      return await memory.placesOf(account_id, question.ids);
    case "opened":
      return await firstOf(memory, question);
  }
}

/** The turns up to the asker's limit, and the first turn beyond it. */
async function firstOf(
  memory: RecallSource,
  { account_id, keys, with_input, most_bytes }: Extract<MemoryRequest, { seeks: "opened" }>,
): Promise<FoundTurn[]> {
  const turns: FoundTurn[] = [];
  let bytes = 0;
  for await (const turn of memory.opened(account_id, keys, with_input, most_bytes)) {
    turns.push(turn);
    bytes += turn.bytes;
    if (bytes > most_bytes) break;
  }
  return turns;
}
