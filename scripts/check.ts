/** `npm run check`: types, lint and house rules, without the test suites. */
import { reportCheck, runChecks } from "./checks.ts";

const results = await runChecks();
for (const check of results) console.log(reportCheck(check));
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
