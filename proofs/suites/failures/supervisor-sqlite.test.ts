import { describeSupervisor } from "./support/workers-suite.ts";

describeSupervisor("sqlite");
