import { expect, test } from "bun:test";
import { GatewayError } from "../../core/errors.ts";
import type { Thread } from "./body-worker.ts";
import { KeptRoom } from "./kept-room.ts";
import { LargeBodies, type LargeRequest } from "./large-bodies.ts";
import type { ReadFacts, WorkerReply, WorkerRequest } from "./messages.ts";

/** The reaction of a thread to a question: an answer, nothing, or its own end. */
type Does = (question: WorkerRequest) => WorkerReply | "nothing" | "dies" | Promise<WorkerReply>;

/** A thread in the test's own thread, which does as it is told. */
class ScriptedThread extends EventTarget {
  static started: ScriptedThread[] = [];
  readonly asked: WorkerRequest[] = [];
  onmessage: ((event: MessageEvent) => void) | null = null;
  onerror: ((event: ErrorEvent) => void) | null = null;
  onmessageerror: ((event: MessageEvent) => void) | null = null;
  is_ended = false;
  readonly #does: Does;

  constructor(does: Does) {
    super();
    this.#does = does;
    ScriptedThread.started.push(this);
  }

  async postMessage(question: WorkerRequest): Promise<void> {
    this.asked.push(question);
    await Promise.resolve();
    const done = await this.#does(question);
    if (this.is_ended || done === "nothing") return;
    if (done === "dies") this.onerror?.(new ErrorEvent("error", { message: "out of memory" }));
    else this.onmessage?.(new MessageEvent("message", { data: done }));
  }

  terminate(): void {
    this.is_ended = true;
  }
}

const FACTS: ReadFacts = {
  weight_bytes: 10,
  request: {
    ...{ protocol: "chat-completions", model: "a/b", stream: false, output_cap: null, choices: 1 },
    ...{ input_bound_tokens: 1, text: "", body: {} },
  },
  decision: null,
  memory: null,
};
const reads: Does = ({ id, call }) => (call === "read" ? { id, gives: FACTS } : { id, gives: null });
const logged: string[] = [];

function bodies(does: Does, options: Partial<ConstructorParameters<typeof LargeBodies>[0]> = {}): LargeBodies {
  ScriptedThread.started = [];
  logged.length = 0;
  const log = { error: (_: object, message: string) => void logged.push(message) } as never;
  const start = () => new ScriptedThread(does) as never as Thread;
  return new LargeBodies({ start, most_workers: 1, room: new KeptRoom(1e9, 1e6), memory: null, log, ...options });
}

const request = (more: Partial<LargeRequest> = {}): LargeRequest => ({
  route: "chat.completions",
  body: { bytes: new Uint8Array([123, 125]), form: null },
  headers: { get: () => null },
  account_id: "acct_1",
  is_repeatable: false,
  recall: null,
  ...more,
});

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "no error";
  } catch (thrown) {
    return thrown instanceof GatewayError ? thrown.code : String(thrown);
  }
}

test("no thread is started before the first large body, and an idle thread is ended", async () => {
  const large = bodies(reads, { keep_worker_ms: 5 });
  expect(ScriptedThread.started).toEqual([]);
  const { remote } = await large.read(request());
  await Bun.sleep(20);
  const [thread] = ScriptedThread.started;
  expect(thread?.is_ended).toBe(false);
  remote.release();
  remote.release();
  await Bun.sleep(20);
  expect(thread?.is_ended).toBe(true);
  expect(thread?.asked.map(({ call }) => call)).toEqual(["read", "release"]);
});

test("a thread that dies ends the requests that it has with a clear error, and the next request gets another", async () => {
  let deaths = 1;
  const large = bodies((question) => (question.call === "prepare" && deaths-- > 0 ? "dies" : reads(question)));
  const first = await large.read(request());
  const second = await large.read(request());
  expect(await codeOf(first.remote.prepare({} as never, undefined))).toBe("model_unavailable");
  expect(await codeOf(second.remote.collectInput())).toBe("model_unavailable");
  first.remote.release();
  expect(logged).toHaveLength(1);
  expect(await codeOf(large.read(request()))).toBe("no error");
  expect(ScriptedThread.started.map(({ is_ended }) => is_ended)).toEqual([true, false]);
});

test("a thread that hangs is ended, and whoever waits for it gets an error or another thread", async () => {
  let hangs = 1;
  const large = bodies((question) => (hangs-- > 0 ? "nothing" : reads(question)), { patience_ms: 20 });
  const [first, second] = await Promise.all([codeOf(large.read(request())), codeOf(large.read(request()))]);
  expect([first, second]).toEqual(["model_unavailable", "no error"]);
  expect(ScriptedThread.started).toHaveLength(2);
});

test("an error of the protocol is the same error, and the body is forgotten", async () => {
  const thrown = { code: "invalid_messages", message: "'x' is wrong", param: "x", retry_after_ms: null } as const;
  const rest = { details: { error_code: "y" }, headers: { allow: "GET" }, cause: null };
  const large = bodies(({ id, call }) =>
    call === "read" ? { id, thrown: { ...thrown, ...rest } } : { id, gives: null },
  );
  const error = await large.read(request()).catch((caught: unknown) => caught as GatewayError);
  expect(error).toBeInstanceOf(GatewayError);
  expect(error).toMatchObject({ ...thrown, details: rest.details, headers: rest.headers });
  expect(ScriptedThread.started[0]?.asked.map(({ call }) => call)).toEqual(["read", "release"]);
});

test("one body is read at a time; a waiting body whose client has left is not read; beyond a limit no body waits", async () => {
  const gates: (() => void)[] = [];
  const large = bodies(async (question) => {
    if (question.call === "read") await new Promise<void>((open) => gates.push(open));
    return (await reads(question)) as WorkerReply;
  });
  const signal = { aborted: false };
  const first = large.read(request());
  const left = codeOf(large.read(request({ signal })));
  const waiting = Array.from({ length: 63 }, () => large.read(request()));
  expect(await codeOf(large.read(request()))).toBe("model_unavailable");
  await Bun.sleep(1);
  expect(gates).toHaveLength(1);
  signal.aborted = true;
  for (let at = 0; at < 64; at += 1) {
    gates[at]?.();
    await Bun.sleep(0);
  }
  await first;
  expect(await left).toBe("provider_error");
  await Promise.all(waiting);
  expect(ScriptedThread.started[0]?.asked.filter(({ call }) => call === "read")).toHaveLength(64);
});

test("a closed pool refuses, and ends its threads", async () => {
  const large = bodies(reads);
  await large.read(request());
  large.close();
  expect(ScriptedThread.started[0]?.is_ended).toBe(true);
  expect(await codeOf(large.read(request()))).toBe("model_unavailable");
});
