import type { ReactNode } from "react";
import { LinkButton } from "../../kit/button.tsx";
import { EmptyState } from "../../kit/states.tsx";

/** Stands where requests will be, as long as there were none, and leads to the two ways to the first. `children`: what will stand here. */
export function FirstSteps({ children }: { children: ReactNode }) {
  return (
    <EmptyState
      icon="requests"
      title="No requests yet"
      action={
        <>
          <LinkButton to="/keys/new" kind="primary" icon="key">
            Create a key
          </LinkButton>
          <LinkButton to="/playground" icon="playground">
            Try the playground
          </LinkButton>
        </>
      }
    >
      {children}
    </EmptyState>
  );
}
