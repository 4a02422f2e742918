import { describeLedgerProcess, describeWorkers } from "./support/workers-suite.ts";

describeWorkers("sqlite");
describeLedgerProcess();
