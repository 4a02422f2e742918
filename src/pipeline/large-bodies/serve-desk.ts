import type { RecallSource } from "../memory/recall-source.ts";
import type { BodyDesk } from "./body-desk.ts";
import type { Answered, BodyCall, BodyCalls, MemoryAnswered, MemoryQuestion, Question } from "./messages.ts";
import { postedError } from "./posted-error.ts";
import { RemoteMemory } from "./remote-memory.ts";

type Post = (message: Answered | MemoryQuestion, moved: ArrayBuffer[]) => void;
type Gives = BodyCalls[BodyCall]["gives"];

/**
 * Lets a desk answer what the serving thread asks: one question after the other, in their order, except that a body which
 * waits for stored responses lets others pass. Returns what takes the messages.
 */
export function serveDesk(
  openDesk: (memory: RecallSource) => BodyDesk,
  post: Post,
): (message: Question | MemoryAnswered) => void {
  const memory = new RemoteMemory((question) => post(question, []));
  const desk = openDesk(memory);
  return (message) => {
    if ("memory_id" in message) memory.take(message);
    else void answer(desk, message, post);
  };
}

async function answer(desk: BodyDesk, question: Question, post: Post): Promise<void> {
  const { id, call } = question;
  try {
    const given = desk.answer(question);
    const gives = given instanceof Promise ? await given : given;
    if (call === "release") return collectGarbage(desk);
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
function collectGarbage(desk: BodyDesk): void {
  if (desk.size === 0) Bun.gc(true);
}
