import { describeWorkers } from "./support/workers-suite.ts";

describeWorkers("postgres");
