import { toGatewayError } from "../../core/errors.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import type { FoundTurn, RecallSource } from "../memory/recall-source.ts";
import type { FoundMemory, MemoryQuestion, MemoryReply, MemoryRequest } from "./messages.ts";
import { errorFromWorker, postedError } from "./posted-error.ts";

/** The memory of responses as a body worker has it: it asks the serving thread. */
export class RemoteMemory implements RecallSource {
  readonly #post: (question: MemoryRequest) => void;
  readonly #waiting = new Map<number, { resolve: (found: FoundMemory) => void; reject: (thrown: Error) => void }>();
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

  async turns(...asked: Parameters<RecallSource["turns"]>): Promise<readonly FoundTurn[] | null> {
    return (await this.#ask({ calls: "turns", with: asked })) as FoundTurn[] | null;
  }

  async placesOf(...asked: Parameters<RecallSource["placesOf"]>): Promise<ReadonlyMap<string, string>> {
    return (await this.#ask({ calls: "placesOf", with: asked })) as ReadonlyMap<string, string>;
  }

  async *opened(...asked: Parameters<RecallSource["opened"]>): AsyncIterable<FoundTurn> {
    yield* (await this.#ask({ calls: "opened", with: asked })) as FoundTurn[];
  }

  #ask(question: MemoryQuestion): Promise<FoundMemory> {
    return new Promise((resolve, reject) => {
      this.#last_id += 1;
      this.#waiting.set(this.#last_id, { resolve, reject });
      this.#post({ ...question, memory_id: this.#last_id });
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

async function find(memory: RecallSource, question: MemoryQuestion): Promise<FoundMemory> {
  switch (question.calls) {
    case "turns":
      return await memory.turns(...question.with);
    case "placesOf":
      return await memory.placesOf(...question.with);
    case "opened":
      return await firstTurns(memory, question.with);
  }
}

/** The turns up to the asker's limit, and the first turn beyond it. */
async function firstTurns(memory: RecallSource, asked: Parameters<RecallSource["opened"]>): Promise<FoundTurn[]> {
  const turns: FoundTurn[] = [];
  const [, , , most_bytes] = asked;
  let bytes = 0;
  for await (const turn of memory.opened(...asked)) {
    turns.push(turn);
    bytes += turn.bytes;
    if (bytes > most_bytes) break;
  }
  return turns;
}
