import type { StoreNotice } from "../../core/operations/incidents.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { AUDIT_WORKS } from "../audit/audit-works.ts";
import { REBUILD_WORKS } from "../audit/rebuild-usage.ts";
import { recordedWork } from "../audit-log/account-changes.ts";
import { isWrite } from "../calls/account-calls.ts";
import { ACCOUNT_WORKS } from "../calls/account-works.ts";
import { deliveryBeside, readsBooks } from "../deliveries/delivery-calls.ts";
import { DELIVERY_WORKS } from "../deliveries/delivery-works.ts";
import {
  findOwnHolds,
  purge,
  type RecoveryStep,
  recoverNode,
  recoverOpen,
  recoverUnowned,
} from "../recovery/recover.ts";
import { responseBeside } from "../responses/response-calls.ts";
import { RESPONSE_WORKS } from "../responses/response-works.ts";
import type { Synced } from "../sql/beside.ts";
import { workOf } from "../sql/port.ts";
import type { Work } from "../sql/work.ts";
import { isBesideBooks } from "../upkeep/upkeep-calls.ts";
import { UPKEEP_WORKS } from "../upkeep/upkeep-works.ts";
import { USER_WORKS } from "../users/user-works.ts";
import { ADMINISTRATION_WORKS } from "../vendors/administration-works.ts";
import type { Committed } from "./commit-on-working-set.ts";
import { clientOf, type Reply, type Request, type Task } from "./messages.ts";
import { type Ownership, takeOwnership } from "./owner-lock.ts";
import { BatchUnpacker, type PackedBatch } from "./pack-op.ts";
import { isFlat } from "./pack-result.ts";
import { realPath } from "./paths.ts";
import { SqliteBooks } from "./sqlite-books.ts";

/**
 * A database thread: the one writer of a SQLite file, or a reader of it. A slow disk stalls this thread and never the
 * live streams.
 */
declare const self: Worker;

let database: SqliteBooks | null = null;
let ownership: Ownership | null = null;

/** The texts of each client, which sends a text once and names it by number from then on. */
const unpackers = new Map<number, BatchUnpacker>();

function unpackerOf(client: number): BatchUnpacker {
  let unpacker = unpackers.get(client);
  if (unpacker === undefined) {
    unpacker = new BatchUnpacker();
    unpackers.set(client, unpacker);
  }
  return unpacker;
}

self.onmessage = ({ data }: MessageEvent<Request | string>) => {
  if (typeof data === "string") return answerBatch(data);
  if (mustWait(data.task)) return later(data);
  if (data.task.kind === "close") answerLate();
  self.postMessage(answer(data.id, () => perform(data.task)));
  afterwards();
};

/**
 * Answers a packed batch: the message is the question's id, a space, and the batch as JSON. The answer is JSON as well, where JSON can
 * express it.
 */
function answerBatch(message: string): void {
  const space = message.indexOf(" ");
  const batch = message.slice(space + 1);
  const id = Number(message.slice(0, space));
  const reply = answer(id, () => {
    const unpacker = unpackerOf(clientOf(id));
    const ops = unpacker.unpack(JSON.parse(batch) as PackedBatch);
    return opened().commit({ ops, for_journal: { texts: JSON.stringify(unpacker.used), batch } });
  });
  tellBatch(id, reply);
  // Work for which no caller waits.
  afterwards();
}

function tellBatch(id: number, reply: Reply): void {
  if (!reply.ok) return self.postMessage(reply);
  const { packed, outcome } = reply.value as Committed;
  if (!isFlat(packed)) return self.postMessage({ id, ok: true, value: packed });
  // The results are written as JSON once, for the journal and the main thread alike.
  self.postMessage(`{"id":${id},"ok":true,"value":${outcome ?? JSON.stringify(packed)}}`);
}

function answer(id: number, perform: () => unknown): Reply {
  try {
    return { id, ok: true, value: perform() };
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return { id, ok: false, message, is_conflict: thrown instanceof StoreConflict };
  }
}

/** The work after a task that may have committed something. */
function afterwards(): void {
  if (database === null) return;
  database.nameLast();
  foldLater();
  if (database.isUnmerged) tidyLater();
}

/** Whether a task leaves the books' rows alone: those that wait are not written for it. */
function isBeside(task: Task): boolean {
  if (task.kind === "response") return responseBeside(task.method) !== null;
  if (task.kind === "delivery") return deliveryBeside(task.method) !== null;
  return task.kind === "upkeep" && isBesideBooks(task.method, task.args);
}

function runSo(beside: Synced | null, work: Work<unknown>): unknown {
  return beside === null ? opened().run(work) : opened().runBeside(work, beside);
}

function perform(task: Task): unknown {
  switch (task.kind) {
    case "open":
      return task.role === "writer" ? openWriter(task.path, task.living) : openReader(task.path);
    case "commit":
      return opened().commit({ ops: task.batch, for_journal: null }).packed;
    case "account":
      return opened().run(
        task.note === undefined || !isWrite(task.method)
          ? workOf(ACCOUNT_WORKS, task.method, task.args)
          : recordedWork(task.method, task.args, task.note),
      );
    case "user":
      return opened().run(workOf(USER_WORKS, task.method, task.args));
    case "delivery":
      if (readsBooks(task.method)) return opened().runAfter(workOf(DELIVERY_WORKS, task.method, task.args));
      return runSo(deliveryBeside(task.method), workOf(DELIVERY_WORKS, task.method, task.args));
    case "administration":
      return opened().run(workOf(ADMINISTRATION_WORKS, task.method, task.args));
    case "response":
      return runSo(responseBeside(task.method), workOf(RESPONSE_WORKS, task.method, task.args));
    case "fold":
      return opened().fold();
    case "sweep":
      opened().run(purge());
      return opened().run(findOwnHolds(task.node_id));
    case "recover":
      return opened().run(recoverUnowned("sqlite", task.unowned));
    case "bury":
      return repeat(() => opened().run(recoverNode("sqlite", task.node_id)));
    case "greet":
      return null;
    case "forget":
      return unpackers.delete(task.client);
    case "audit":
      return opened().run(workOf(AUDIT_WORKS, task.method, task.args));
    case "upkeep":
      return runSo(isBeside(task) ? "with the next commit" : null, workOf(UPKEEP_WORKS, task.method, task.args));
    case "rebuild":
      return opened().run(workOf(REBUILD_WORKS, task.method, task.args));
    case "ping":
      return probe();
    case "close":
      return close();
  }
}

/** How long committed operations wait for more of them, before a round writes them to their tables. */
const FOLD_AFTER_MS = 3000;
/** The time between two steps of a round, in which batches are committed. */
const STEP_EVERY_MS = 1;
let round_is_due = false;
let step_is_due = false;

function foldLater(): void {
  if (opened().hasStep) stepLater();
  else if (opened().isWaiting && !round_is_due) {
    round_is_due = true;
    setTimeout(foldRound, FOLD_AFTER_MS);
  }
}

function stepLater(): void {
  if (step_is_due) return;
  step_is_due = true;
  setTimeout(foldStep, STEP_EVERY_MS);
}

function foldRound(): void {
  round_is_due = false;
  if (database === null) return;
  database.beginFold();
  stepLater();
}

function foldStep(): void {
  step_is_due = false;
  if (database === null) return;
  try {
    database.foldStep();
  } catch {
    // The operations stay in the journal. The next task that needs their tables fails with the reason.
  }
  if (!database.isInRound) answerLate();
  foldLater();
}

/** Tasks need up-to-date tables. Where more rows than this wait, a round writes them first, and batches are committed meanwhile. */
const ROWS_AT_ONCE = 1500;
/** Tasks that wait for the end of a round. */
let late: Request[] = [];

function mustWait(task: Task): boolean {
  const { kind } = task;
  if (database === null || kind === "commit" || kind === "close" || kind === "ping") return false;
  if (isBeside(task)) return false;
  return late.length > 0 || database.waitingRows > ROWS_AT_ONCE;
}

function later(request: Request): void {
  late.push(request);
  opened().beginFold();
  foldLater();
}

function answerLate(): void {
  const requests = late;
  late = [];
  for (const { id, task } of requests) self.postMessage(answer(id, () => perform(task)));
  afterwards();
}

/** How often the anchor is brought to the disk, and after how many times the log is merged into the file. */
const ANCHOR_EVERY_MS = 1000;
const MERGE_EVERY = 3;
let tidying = false;
let tidied = 0;

/** While commits come, brings the anchor to the disk and merges the log: what is not in the file is a few seconds old. */
function tidyLater(): void {
  if (tidying) return;
  tidying = true;
  setTimeout(() => {
    tidying = false;
    if (database === null) return;
    tidied += 1;
    try {
      database.syncAnchor();
      if (tidied % MERGE_EVERY === 0) database.merge();
    } catch {
      // The next probe meets the same error, and readiness reports it.
    }
    if (database.isUnmerged) tidyLater();
  }, ANCHOR_EVERY_MS);
}

/** Throws when the database cannot be written, or is not where it was. */
function probe(): null {
  if (ownership !== null && !ownership.isHeld()) {
    throw new Error(
      "the database's file was moved or deleted while the gateway runs: stop the gateway, and put it back",
    );
  }
  opened().probe();
  return null;
}

function openReader(path: string): null {
  database = SqliteBooks.openReader(path);
  return null;
}

function openWriter(given: string, living: readonly string[] = []): null {
  const path = realPath(given);
  // Only its owner may read the books: there are e-mail addresses and keys' hashes in them.
  ownership = takeOwnership(path, given);
  try {
    database = SqliteBooks.openWriter(path, { notify });
    // Open requests of other nodes than the living ones were left behind.
    repeat(() => opened().run(recoverOpen("sqlite", living)));
  } catch (thrown) {
    close();
    throw thrown;
  }
  return null;
}

/** Sends a notice for the operator to the main thread. */
function notify(notice: StoreNotice): void {
  self.postMessage({ notice });
}

function opened(): SqliteBooks {
  if (database === null) throw new Error("the database is closed");
  return database;
}

function close(): null {
  try {
    database?.close();
  } finally {
    database = null;
    ownership?.release();
    ownership = null;
  }
  return null;
}

function repeat(step: () => RecoveryStep): { settled: number; voided: number } {
  const total = { settled: 0, voided: 0 };
  for (let more = true; more; ) {
    const done = step();
    total.settled += done.settled;
    total.voided += done.voided;
    more = done.more;
  }
  return total;
}
