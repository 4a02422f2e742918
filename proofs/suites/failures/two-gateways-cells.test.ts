import { describeTwoGateways } from "./support/two-gateways-suite.ts";

describeTwoGateways("cells");
