import { PendingPage } from "../pending-page.tsx";

export function OverviewPage() {
  return <PendingPage title="Overview" icon="overview" />;
}
