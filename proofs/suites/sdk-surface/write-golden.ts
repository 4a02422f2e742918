import { writeGolden } from "./golden.ts";

/** `bin/camino-bun proofs/suites/sdk-surface/write-golden.ts`: writes what becomes of every declared member today. */
writeGolden();
