import { newId } from "../../core/ids.ts";
import { bookedResult } from "../../ledger/booking.ts";
import { createLedger } from "../../ledger/ledger.ts";
import { openStore } from "../open-store.ts";
import { newCustomer, settleOp } from "./books.ts";

/**
 * A gateway's bookkeeping without the gateway, to be killed in the middle of it: `bun writing-process.ts URL`. Writes
 * the id of its account, then the id of each request whose settlement was acknowledged.
 */
const CALLERS = 24;

const [url = ""] = process.argv.slice(2);
const node_id = newId("node");
const store = await openStore({ url, node_id });
const ledger = createLedger({ store: store.ledger });
const database = { store, node_id, execute: unused, crash: unused, close: unused };
const customer = await newCustomer(database, 1_000_000_000);
tell(customer.account.id);
await Promise.all(Array.from({ length: CALLERS }, callForEver));

async function callForEver(): Promise<void> {
  for (;;) {
    const admit = customer.admitOp();
    if ((await bookedResult(ledger.admit(admit))).outcome !== "admitted") throw new Error("refused");
    ledger.progress({ ...settleOp(admit.request_id), op: "progress", ttl_ms: 60_000 });
    await bookedResult(ledger.settle(settleOp(admit.request_id)));
    tell(admit.request_id);
  }
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

function unused(): Promise<never> {
  return Promise.reject(new Error("not in this process"));
}
