import { Database } from "bun:sqlite";
import type { PlainOp } from "./plain-books.ts";

/** The thread of the plain books: each message is a batch, and each batch a durable commit. */
declare const self: Worker;

/** What the wallet begins with: more than a bench spends. */
const BALANCE_MICRO = 1_000_000_000_000;

let book: ((ops: readonly PlainOp[]) => boolean[]) | null = null;

self.onmessage = ({ data }: MessageEvent<{ path: string } | readonly PlainOp[]>) => {
  if ("path" in data) book = open(data.path);
  else if (book !== null) self.postMessage(book(data));
};

function open(path: string): (ops: readonly PlainOp[]) => boolean[] {
  const db = new Database(path, { create: true });
  db.run("PRAGMA journal_mode = WAL");
  db.run("PRAGMA synchronous = FULL");
  // As the gateway: the fewer merges of the log, the less work.
  db.run("PRAGMA wal_autocheckpoint = 8192");
  db.run("CREATE TABLE wallet (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL, held INTEGER NOT NULL)");
  db.run(`INSERT INTO wallet VALUES (1, ${BALANCE_MICRO}, 0)`);
  db.run(`CREATE TABLE requests (
    id TEXT PRIMARY KEY, created_ms INTEGER NOT NULL, model TEXT NOT NULL, hold INTEGER NOT NULL, status TEXT NOT NULL,
    charge INTEGER, input INTEGER, output INTEGER)`);
  db.run(
    "CREATE TABLE entries (seq INTEGER PRIMARY KEY, request TEXT NOT NULL, amount INTEGER NOT NULL, balance INTEGER NOT NULL)",
  );
  const take = db.prepare("UPDATE wallet SET held = held + ?1 WHERE id = 1 AND balance - held >= ?1");
  const begin = db.prepare("INSERT INTO requests (id, created_ms, model, hold, status) VALUES (?, ?, ?, ?, 'held')");
  const heldBy = db.prepare<{ hold: number }, [string]>("SELECT hold FROM requests WHERE id = ? AND status = 'held'");
  const end = db.prepare("UPDATE requests SET status = 'settled', charge = ?, input = ?, output = ? WHERE id = ?");
  const pay = db.prepare("UPDATE wallet SET balance = balance - ?, held = held - ? WHERE id = 1");
  const enter = db.prepare(
    "INSERT INTO entries (request, amount, balance) SELECT ?, ?, balance FROM wallet WHERE id = 1",
  );
  const bookOne = (op: PlainOp): boolean => {
    if (op.op === "hold") {
      if (take.run(op.hold_micro).changes === 0) return false;
      begin.run(op.id, Date.now(), op.model, op.hold_micro);
      return true;
    }
    const held = heldBy.get(op.id);
    if (held === null) return false;
    end.run(op.charge_micro, op.input, op.output, op.id);
    pay.run(op.charge_micro, held.hold);
    enter.run(op.id, -op.charge_micro);
    return true;
  };
  return db.transaction((ops: readonly PlainOp[]) => ops.map(bookOne));
}
