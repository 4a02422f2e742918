import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { ErrorState } from "../kit/states.tsx";

/** A page that threw: the rest of the console stays, and it can be tried again. */
export function Failure({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return <ErrorState error={error} title="This page could not be shown" onRetry={retry} />;
}
