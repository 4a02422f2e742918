import type { RecallSource } from "../memory/recall-source.ts";
import type { BodyService } from "./body-service.ts";
import type { BodyCall, BodyCalls, MemoryReply, MemoryRequest, WorkerReply, WorkerRequest } from "./messages.ts";
import { postedError } from "./posted-error.ts";
import { RemoteMemory } from "./remote-memory.ts";

type Post = (message: WorkerReply | MemoryRequest, moved: ArrayBuffer[]) => void;
type Gives = BodyCalls[BodyCall]["gives"];

/**
 * Lets a service answer what the serving thread asks: one question after the other, in their order, except that a body which
 * waits for stored responses lets others pass. Returns what takes the messages.
 */
export function serveBodies(
  openService: (memory: RecallSource) => BodyService,
  post: Post,
): (message: WorkerRequest | MemoryReply) => void {
  const memory = new RemoteMemory((question) => post(question, []));
  const service = openService(memory);
  return (message) => {
    if ("memory_id" in message) memory.take(message);
    else void answer(service, message, post);
  };
}

async function answer(service: BodyService, question: WorkerRequest, post: Post): Promise<void> {
  const { id, call } = question;
  try {
    const gives = await service.answer(question);
    if (call === "release") return collectGarbage(service);
    post({ id, gives }, movedOf(gives));
  } catch (thrown) {
    post({ id, thrown: postedError(thrown) }, []);
  }
}

/** The buffers that go to the serving thread without a copy: all that are made here are of their own. */
function movedOf(gives: Gives): ArrayBuffer[] {
  if (gives === null) return [];
  if (gives instanceof Uint8Array) return [gives.buffer as ArrayBuffer];
  if ("bytes" in gives) return [gives.bytes.buffer as ArrayBuffer];
  if ("output" in gives) return [gives.output.buffer as ArrayBuffer, gives.rest.buffer as ArrayBuffer];
  if ("body" in gives) return [gives.body.buffer as ArrayBuffer];
  if ("memory" in gives && gives.memory?.sent) return [gives.memory.sent.buffer as ArrayBuffer];
  return [];
}

/** Nobody waits for this thread: what the last body took is given back at once. */
function collectGarbage(service: BodyService): void {
  if (service.size === 0) Bun.gc(true);
}
