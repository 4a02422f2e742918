import fc from "fast-check";

/**
 * Loaded before the tests where `TEST_SEED` is given, as CI does: laws are tried on the same random cases in every run of a commit, so that
 * what CI refuses is the change. Everybody else's runs draw anew, and what one finds becomes a test of its own (docs/design/test-runs.md).
 */
const seed = Number(process.env.TEST_SEED);
if (!Number.isSafeInteger(seed)) throw new Error(`TEST_SEED is ${process.env.TEST_SEED}: a whole number is meant`);
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
