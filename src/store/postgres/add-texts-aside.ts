import { addTexts, TextsMissing } from "../batch/shared-texts.ts";
import type { Session } from "./session.ts";

/**
 * Runs a transaction whose SharedTexts are aside. Where it lacks some, which is once for each, they are added in a transaction of their own
 * (docs/adr/0075), and it is run again.
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
