/**
 * Fills a database with finished requests, and says what they weigh. See USAGE in options.ts, and docs/operations.md.
 *
 *   npm run fill -- --database sqlite:/tmp/million.db --requests 1000000
 */
import { SQL } from "bun";
import { countTraffic } from "./count-traffic.ts";
import { fill } from "./fill.ts";
import { printLooks } from "./look.ts";
import { type FillOptions, readOptions, USAGE } from "./options.ts";
import { printRetention } from "./retain.ts";
import { sumDays } from "./sum-days.ts";
import { printTagValues } from "./tag-values.ts";
import { printWeights } from "./weigh.ts";

const options = optionsOrUsage();
if (options.requests > 0) await fill(options, console.log);
if (options.requests > 0 && !options.database.startsWith("sqlite:") && !options.young) await vacuum(options.database);
if (options.requests > 0 || options.tag_values === 0) await printWeights(options.database);
if (options.traffic) await countTraffic(options.database);
if (options.sums) await sumDays(options.database);
if (options.look) await printLooks(options.database);
if (options.tag_values > 0) await printTagValues(options.database, options.tag_values);
if (options.keep_days !== null) await printRetention(options.database, options.keep_days);
process.exit(0);

function optionsOrUsage(): FillOptions {
  try {
    return readOptions(process.argv.slice(2));
  } catch (thrown) {
    console.error(`${thrown instanceof Error ? thrown.message : "The arguments cannot be read."}\n${USAGE}`);
    process.exit(2);
  }
}

/** What autovacuum does by itself within minutes. */
async function vacuum(url: string): Promise<void> {
  const sql = new SQL(url, { max: 1 });
  await sql.unsafe("VACUUM (ANALYZE)");
  await sql.close();
}
