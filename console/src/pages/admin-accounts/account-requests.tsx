import type { Overview } from "../../../../contract/overview.ts";
import { Card } from "../../kit/card.tsx";
import { TextLink } from "../../kit/row-link.tsx";
import { EmptyState } from "../../kit/states.tsx";
import { RequestTable } from "../overview/latest-requests.tsx";

/** The account's newest requests; running ones are updated live. */
export function AccountRequests({ overview }: { overview: Overview }) {
  const { latest, account } = overview;
  return (
    <Card
      title="Latest requests"
      actions={
        <TextLink to="/requests" search={{ account: account.id }}>
          All requests
        </TextLink>
      }
      flush
    >
      {latest.length === 0 ? (
        <EmptyState icon="requests" title="No requests yet">
          They appear here as its keys are used.
        </EmptyState>
      ) : (
        <RequestTable requests={latest} />
      )}
    </Card>
  );
}
