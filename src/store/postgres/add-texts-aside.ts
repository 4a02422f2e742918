import { addTexts, TextsMissing } from "../batch/shared-texts.ts";
import type { Session } from "./session.ts";

/**
 * Runs a transaction that refers to shared texts by their numbers. Texts that the database does not have yet are first added in a
 * transaction of their own (docs/adr/0075), and then the transaction is run again.
 */
export async function addTextsAside<Result>(
  session: Pick<Session, "write">,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (thrown) {
    if (!(thrown instanceof TextsMissing)) throw thrown;
    await session.write(() => addTexts(thrown.texts));
    return await run();
  }
}
