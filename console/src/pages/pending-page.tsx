import { Card } from "../kit/card.tsx";
import type { IconName } from "../kit/icon.tsx";
import { PageHeader } from "../kit/page-header.tsx";
import { EmptyState } from "../kit/states.tsx";

/** Stands where a page is not built yet. */
export function PendingPage({ title, icon }: { title: string; icon: IconName }) {
  return (
    <>
      <PageHeader title={title} />
      <Card flush>
        <EmptyState icon={icon} title="Not in the console yet">
          The same is in the command line and in the console API.
        </EmptyState>
      </Card>
    </>
  );
}
