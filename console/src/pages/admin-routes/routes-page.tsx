import { PendingPage } from "../pending-page.tsx";

export function RoutesPage() {
  return <PendingPage title="Routes" icon="routes" />;
}
