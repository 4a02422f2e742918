import { useState } from "react";

/** A dialog's action: whether it runs, and the error of the last attempt; null before the first and while one runs. */
interface ActionAttempt {
  readonly busy: boolean;
  readonly error: unknown;
  /** Runs the action. `onDone` is called when it has succeeded, and the form stays busy until it is gone. */
  readonly run: (action: () => Promise<unknown>, onDone: () => void) => Promise<void>;
}

/** Runs a dialog's action, which closes the dialog where it succeeds, and keeps the error where it fails. */
export function useAttempt(): ActionAttempt {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const run = async (action: () => Promise<unknown>, onDone: () => void) => {
    setBusy(true);
    setError(null);
    try {
      await action();
      onDone();
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  return { busy, error, run };
}
