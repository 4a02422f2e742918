import { runWords } from "../../../support/curl.ts";

/** `curl` for the documents' commands, on machines that may have none: prints the answer, and fails as `curl --fail` would. */

const response = await runWords(process.argv.slice(2));
process.stdout.write(await response.text());
process.exit(response.ok ? 0 : 22);
